// @ts-check
// What a limit on images and files may change: each of them becomes one text that says what it was, and nothing else does.

import { same } from './texts.js';

const LEFT_OUT = /^\[[^\n]*, left out; (read_tool_output\(\{ id: "(?:[^"\\\n]|\\.)*" \}\) returns (?:a part of )?it|not stored)\]$/;
const MEDIA = new Set(['image', 'file', 'media', 'image-data', 'file-data', 'image-url', 'file-url', 'file-id', 'image-file-id', 'file-reference', 'image-file-reference']);

/** Whether a part or item is an image or file, and the other one the text in its place. @param {any} before @param {any} after */
export const leftOut = (before, after) => MEDIA.has(before?.type) && after?.type === 'text' && LEFT_OUT.test(after.text);

/** Whether an output differs in its images and files alone. @param {any} before @param {any} after */
export function onlyMediaLeft(before, after) {
  if (before?.type !== 'content' || after?.type !== 'content' || before.value?.length !== after.value?.length) return false;
  return before.value.every((/** @type {any} */ item, /** @type {number} */ i) => same(item, after.value[i]) || leftOut(item, after.value[i]));
}

/** First row that the model has not read. @param {any[]} input */
export const unreadFrom = (input) => input.findLastIndex((row) => row?.role === 'assistant') + 1;
