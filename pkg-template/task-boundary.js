// @ts-check
// Whether a response ended the task at hand: the model said something and waits for nothing.

import { KIND } from './formats/parts.js';

/** @param {any} messages of the response @param {any} format */
export function isTaskBoundary(messages, format) {
  if (!Array.isArray(messages)) return false;
  let open = 0;
  let said = false;
  const read = format.rowFormat ?? format;
  for (const message of shallow(() => (format.rows ? format.rows(messages).messages : messages))) {
    for (const part of shallow(() => read.parts(message))) {
      if (part.kind === KIND.call) open += 1;
      else if (part.kind === KIND.result) open -= 1;
      else if (part.kind === KIND.text) said = true;
      else if (part.kind === KIND.approvalRequest) return false;
    }
  }
  return said && open <= 0;
}

/** Nothing where the host's messages cannot be read: a suggestion is not worth an error. @param {() => any[]} read @returns {any[]} */
function shallow(read) {
  try {
    return read();
  } catch {
    return [];
  }
}
