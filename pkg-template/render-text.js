// @ts-check
// What a terminal would show of a text: carriage returns overwrite, escape codes are gone, embedded data
// URIs become a description. Only texts over the cap are rendered; shorter ones go out byte for byte.

// CSI, OSC and the two-character escapes. Written without nested quantifiers: linear on any input.
// eslint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const DATA_URI = /data:([\w.+-]+\/[\w.+-]+)((?:;[\w.+-]+=[\w.+-]+)*);base64,([A-Za-z0-9+/]{32,}={0,2})/g;
const BASE64 = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{2000,}={0,2}/g;

/** @param {string} text */
export function renderText(text) {
  let out = text;
  if (out.includes('\u001b')) out = out.replace(ESCAPES, '');
  if (out.includes('\r')) out = out.split('\n').map(overwrite).join('\n');
  if (out.includes(';base64,')) out = out.replace(DATA_URI, (_all, type, _params, data) => `[${type}, ${bytesOf(data)} bytes of base64 left out]`);
  return out.replace(BASE64, (data) => (looksRandom(data) ? `[${bytesOf(data)} bytes of base64 left out]` : data));
}

/** The last state of a line that was drawn over and over. @param {string} line */
function overwrite(line) {
  const end = line.endsWith('\r') ? '\r' : '';
  const body = end ? line.slice(0, -1) : line;
  if (!body.includes('\r')) return line;
  const states = body.split('\r');
  for (let i = states.length - 1; i >= 0; i -= 1) if (states[i].trim() !== '') return states[i] + end;
  return end;
}

const bytesOf = (/** @type {string} */ data) => Math.floor((data.replace(/=+$/, '').length * 3) / 4);

/** Encoded bytes mix cases and digits; a long run of one letter does not. @param {string} data */
function looksRandom(data) {
  const sample = data.slice(0, 400);
  return /[a-z]/.test(sample) && /[A-Z]/.test(sample) && /\d/.test(sample) && new Set(sample).size >= 24;
}
