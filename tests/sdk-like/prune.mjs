// The peer's function, from this folder's own node_modules.

export { pruneMessages } from 'ai';
