// A browser and the page's own server for the tests beside this file. Without a Chromium
// on this machine the tests are skipped, loudly; CHROMIUM names one that is elsewhere.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((place) => place && existsSync(place));

/** False, or why the browser tests cannot run here: for `test`'s `skip`. */
export const missing = executablePath ? false : 'no Chromium found: install one, or name it in CHROMIUM';
if (missing) console.error(`SKIPPED: browser tests, ${missing}`);

/** @param {import('node:child_process').ChildProcess} child */
function firstLine(child) {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (data) => resolve(String(data).trim()));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

/** Starts server and browser; `close` ends both. */
export async function launch() {
  const { chromium } = await import('playwright-core');
  const server = spawn(process.execPath, [path.join(root, 'www/serve.mjs'), '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await firstLine(server);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return {
    address,
    /**
     * A page that remembers what went wrong in it.
     * @param {import('playwright-core').BrowserContextOptions} [options]
     */
    async open(options) {
      const page = await browser.newPage(options);
      /** @type {string[]} */
      const wrong = [];
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') wrong.push(message.text());
      });
      page.on('pageerror', (error) => wrong.push(error.message));
      return { page, wrong };
    },
    async close() {
      await browser.close();
      server.kill();
    },
  };
}
