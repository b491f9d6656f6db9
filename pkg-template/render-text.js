// @ts-check
// What a terminal would show of a text: carriage returns overwrite, escape codes are gone, embedded data
// URIs become a description. Only texts over the cap are rendered; shorter ones go out byte for byte.

// CSI, OSC and the two-character escapes. Written without nested quantifiers: linear on any input. Runs are
// bounded, because the engine's own stack is not: a run of some millions would overflow it.
// eslint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]{0,64}[ -/]{0,16}[@-~]|\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const DATA_URI = /data:([\w.+-]{1,64}\/[\w.+-]{1,64})(?:;[\w.+-]{1,64}=[\w.+-]{1,64}){0,4}$/;
/** Bare encoded bytes shorter than this are left alone; after a data URI's head, shorter than the second. */
const BARE = 2_000;
const TAGGED = 32;

/** @param {string} text */
export function renderText(text) {
  let out = text;
  if (out.includes('\u001b')) out = out.replace(ESCAPES, '');
  if (out.includes('\r')) out = out.split('\n').map(overwrite).join('\n');
  if (out.includes(';base64,')) out = withoutDataUris(out);
  return withoutBareBase64(out);
}

/** @param {string} text */
function withoutDataUris(text) {
  let out = '';
  let from = 0;
  for (let at = text.indexOf(';base64,'); at >= 0; at = text.indexOf(';base64,', at + 1)) {
    const head = DATA_URI.exec(text.slice(Math.max(from, at - 640), at));
    const start = at + ';base64,'.length;
    const end = runEnd(text, start);
    if (!head || end - start < TAGGED) continue;
    out += `${text.slice(from, at - head[0].length)}[${head[1]}, ${bytesIn(start, end)} bytes of base64 left out]`;
    from = paddingEnd(text, end);
  }
  return out + text.slice(from);
}

/** A run that is long enough covers every so many characters at least once, so only those are looked at. @param {string} text */
function withoutBareBase64(text) {
  let out = '';
  let from = 0;
  for (let at = BARE - 1; at < text.length; at += BARE) {
    if (at < from || !isBase64(text.charCodeAt(at))) continue;
    let start = at;
    while (start > from && isBase64(text.charCodeAt(start - 1))) start -= 1;
    const end = runEnd(text, at);
    if (end - start >= BARE && looksRandom(text.slice(start, start + 400))) {
      out += `${text.slice(from, start)}[${bytesIn(start, end)} bytes of base64 left out]`;
      from = paddingEnd(text, end);
    }
    at = Math.max(at, end - (end % BARE) - 1);
  }
  return out + text.slice(from);
}

/** @param {string} text @param {number} at */
function runEnd(text, at) {
  let end = at;
  while (end < text.length && isBase64(text.charCodeAt(end))) end += 1;
  return end;
}

/** @param {string} text @param {number} end */
function paddingEnd(text, end) {
  return end + (/^={1,2}/.exec(text.slice(end, end + 2))?.[0].length ?? 0);
}

/** Letters, digits, `+` and `/`. @param {number} unit */
const isBase64 = (unit) => (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 47 && unit <= 57) || unit === 43;

const bytesIn = (/** @type {number} */ start, /** @type {number} */ end) => Math.floor(((end - start) * 3) / 4);

/** The last state of a line that was drawn over and over. @param {string} line */
function overwrite(line) {
  const end = line.endsWith('\r') ? '\r' : '';
  const body = end ? line.slice(0, -1) : line;
  if (!body.includes('\r')) return line;
  const states = body.split('\r');
  for (let i = states.length - 1; i >= 0; i -= 1) if (states[i].trim() !== '') return states[i] + end;
  return end;
}

/** Encoded bytes mix cases and digits; a long run of one letter does not. @param {string} sample */
function looksRandom(sample) {
  return /[a-z]/.test(sample) && /[A-Z]/.test(sample) && /\d/.test(sample) && new Set(sample).size >= 24;
}
