// @ts-check
// How reasoning leaves a message, and how a part loses the provider-side id that is only valid beside it.
// Decides shapes; which parts they are is the core's decision.

/** Fields of chat messages in which compatible servers put reasoning. */
const CHAT_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'];

/**
 * @param {string} format
 * @param {any} message
 * @param {readonly number[]} cut reasoning parts, as projected
 * @param {readonly number[]} unname parts that keep everything but their id
 * @returns {{ set: { path: (string | number)[], value: undefined }[], cut: number[] }} as an op of the recipe carries it
 */
export function reasoningChange(format, message, cut, unname) {
  if (format === 'openai-chat') {
    const fields = CHAT_FIELDS.filter((key) => message[key] !== undefined && message[key] !== null && message[key] !== '');
    return { set: cut.flatMap((at) => (fields[at] === undefined ? [] : [{ path: [fields[at]], value: undefined }])), cut: [] };
  }
  if (format === 'openai-responses') return { set: unname.length > 0 ? [{ path: ['id'], value: undefined }] : [], cut: [] };
  const ids = unname.filter((at) => message.content?.[at]?.providerOptions?.openai?.itemId !== undefined);
  return { set: ids.map((at) => ({ path: ['content', at, 'providerOptions', 'openai', 'itemId'], value: undefined })), cut: [...cut] };
}
