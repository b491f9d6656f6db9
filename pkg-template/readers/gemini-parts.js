// @ts-check
// Gemini Parts to AI SDK parts, for the Gemini CLI's recordings and for plain contents. Decides what a part becomes and
// what the response of a function is as a tool output. Refuses to pair: ids may be missing, the callers know the order.

import { list, mediaPart, object, outputOf, text, valueOutput } from './parts.js';

/** @param {unknown} content a string, one part or a list of parts @returns {Record<string, any>[]} */
export function partList(content) {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return (Array.isArray(content) ? content : content ? [content] : []).map((part) => (typeof part === 'string' ? { text: part } : object(part)));
}

/** Text and media of a list of parts, in order. @param {Record<string, any>[]} parts @returns {any[]} */
export function userParts(parts) {
  return parts.flatMap(/** @returns {any[]} */ (part) => {
    if (text(part.text) !== '' && part.thought !== true) return [{ type: 'text', text: part.text }];
    const { inlineData, fileData } = part;
    if (inlineData) return [mediaPart(text(object(inlineData).mimeType), text(object(inlineData).data))];
    if (fileData) return [mediaPart(text(object(fileData).mimeType), text(object(fileData).fileUri))];
    return [];
  });
}

/**
 * @param {Record<string, any>[]} parts the functionResponse and what belongs to it
 * @param {boolean} failed the call ended in an error or was cancelled
 */
export function functionOutput(parts, failed) {
  const responses = parts.filter((part) => part.functionResponse).map((part) => object(part.functionResponse));
  const media = [...userParts(parts), ...responses.flatMap((response) => userParts(list(response.parts).map(object)))];
  const values = responses.map(({ response }) => responseValue(object(response), failed));
  if (media.length === 0 && values.length === 1) return values[0];
  const texts = values.map(({ value }) => ({ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }));
  return outputOf([...texts, ...media], failed && media.every((part) => part.type === 'text'));
}

/** `output` and `error` are the keys the SDK wraps plain text in. @param {Record<string, any>} response @param {boolean} failed */
function responseValue(response, failed) {
  const keys = Object.keys(response);
  if (keys.length === 1 && typeof response.output === 'string') return valueOutput(response.output, failed);
  if (keys.length === 1 && typeof response.error === 'string') return valueOutput(response.error, true);
  return valueOutput(response, failed);
}
