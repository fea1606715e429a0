// Connections of attackers, in a process of their own: `node attackers.ts PORT KIND COUNT SECONDS`. Each attacker comes from an
// address of the loopback network, so that the limit for one address is not what stops them. Prints how many are open, once a second.
import { connect, type Socket } from 'node:net';

type Kind = 'chunks' | 'dribble' | 'idle' | 'slow';

const [port = 0, kind, count = 0, seconds = 0] = process.argv.slice(2) as unknown as [
  number,
  Kind,
  number,
  number,
];

const paths = [
  '/api/sessions',
  '/v1/import',
  '/reader/api/0/subscription/import',
  '/accounts/ClientLogin',
  '/mcp',
  '/fever/',
];
const oneByteChunks = Buffer.from('1\r\na\r\n'.repeat(10_000));
const endAt = Date.now() + Number(seconds) * 1000;
const sockets = new Set<Socket>();
let closed = 0;

for (let n = 0; n < Number(count); n++) attack(n);
const report = setInterval(() => {
  process.stdout.write(`${sockets.size} open, ${closed} closed\n`);
  if (Date.now() < endAt) return;
  clearInterval(report);
  for (const socket of sockets) socket.destroy();
}, 1_000);

function attack(n: number): void {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(port),
    localAddress: `127.0.${1 + Math.floor(n / 50)}.${1 + (n % 50)}`,
  });
  sockets.add(socket);
  socket.on('error', () => {});
  socket.on('data', () => {});
  socket.once('connect', () => begin(socket, n));
  socket.once('close', () => {
    sockets.delete(socket);
    closed += 1;
    // Uploads come back for as long as the attack lasts.
    if ((kind === 'chunks' || kind === 'dribble') && Date.now() < endAt) setTimeout(() => attack(n), 20);
  });
}

function begin(socket: Socket, n: number): void {
  const path = paths[n % paths.length];
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
  if (kind === 'chunks') {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const send = () => {
      while (!socket.destroyed && socket.write(oneByteChunks));
    };
    socket.on('drain', send);
    send();
  } else if (kind === 'dribble') {
    socket.write(`${head}Content-Length: 16384\r\n\r\n`);
    const timer = setInterval(() => socket.write('a'), 5);
    socket.once('close', () => clearInterval(timer));
  } else if (kind === 'slow') {
    // Half of them send their headers slowly, the others their bodies.
    const rest = n % 2 === 0 ? '' : 'Content-Length: 16384\r\n\r\n';
    socket.write(head + rest);
    const timer = setInterval(() => socket.write(rest === '' ? 'X-A: 1\r\n' : 'a'), 1_000);
    socket.once('close', () => clearInterval(timer));
  }
}
