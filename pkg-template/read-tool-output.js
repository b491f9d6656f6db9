// @ts-check
// The tool that reads hidden outputs back. What it returns is under the same cap as any result and is
// never stored again.

import { readPage } from './core_bg.js';
import { callHost } from './host.js';
import { rangeOf, rowsText } from './rows-text.js';

/** @param {any} host @param {string} transcript @param {() => number} maxChars @param {() => any} format how the host's messages are read */
export function readToolOutput(host, transcript, maxChars, format) {
  return Object.freeze({
    name: 'read_tool_output',
    description:
      'Reads back a tool output that was shortened or cleared from the conversation. Pass the id named there. ' +
      'offset and limit page through it in characters; grep returns only the lines that contain a text.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'The id named in the shortened or cleared output.' },
        offset: { type: 'integer', minimum: 0, description: 'First character to return. Default 0.' },
        limit: { type: 'integer', minimum: 1, description: 'Most characters to return.' },
        grep: { type: 'string', description: 'Only return lines that contain this text.' },
      },
      required: ['id'],
      additionalProperties: false,
    },
    /** @param {{ id: string, offset?: number, limit?: number, grep?: string }} input @param {{ signal?: AbortSignal }} [options] */
    async execute(input, { signal } = {}) {
      const id = String(input?.id ?? '');
      const context = { transcript, ...(signal ? { signal } : {}) };
      const range = host.rows ? rangeOf(id) : undefined;
      const text = id === '' ? null : range ? await rowsText(host, range, format(), context) : host.raw ? await callHost(host, host.raw, 'get', [id], context) : null;
      return readPage(text ?? undefined, id, whole(input?.offset), whole(input?.limit), input?.grep, maxChars());
    },
  });
}

/** @param {unknown} n */
const whole = (n) => (typeof n === 'number' && Number.isFinite(n) && n >= 0 ? Math.min(Math.floor(n), 0xffffffff) : undefined);
