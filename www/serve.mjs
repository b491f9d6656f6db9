// Serves the repository for the page: `node www/serve.mjs [port]`, 0 for any free port.
// Only this machine is answered.

import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';

const port = Number(process.argv[2] ?? 8080);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error('The port must be a whole number from 0 to 65535.');
  process.exit(2);
}

const root = fileURLToPath(new URL('..', import.meta.url));
const files = sirv(root, { dev: true });
const server = createServer((request, response) => {
  if (request.url === '/' || request.url === '/www') {
    response.writeHead(302, { location: '/www/' }).end();
    return;
  }
  files(request, response, () => response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found'));
});

server.on('error', (error) => {
  const busy = /** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE';
  console.error(busy ? `Port ${port} is in use. Try another: node www/serve.mjs ${port + 1}` : error.message);
  process.exit(1);
});
server.listen(port, '127.0.0.1', () => {
  const { port: bound } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${bound}/www/`);
});
