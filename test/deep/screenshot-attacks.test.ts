// A page that does all it can to make the browser ask inside our network, while a picture is taken of it: what it asks of
// the web arrives, and not a byte arrives inside.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startCanary } from '../support/outbound.ts';
import { createPictures } from '../support/screenshots.ts';

const html = { 'content-type': 'text/html; charset=utf-8' };

/** What goes past proxies goes by UDP. */
async function startUdpCanary() {
  const canary = { port: 0, messages: 0 };
  const socket = createSocket('udp4', () => {
    canary.messages += 1;
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  canary.port = (socket.address() as AddressInfo).port;
  return canary;
}

/** Every kind of request that a page can make, to a place. `id` tells them apart where they arrive. */
const kinds: Record<string, (at: (id: string) => string) => string> = {
  img: (at) => `<img src="${at('img')}"><img srcset="${at('srcset')} 2x">`,
  style: (at) => `<style>@import "${at('import')}"; body { background: url("${at('background')}") }
    @font-face { font-family: x; src: url("${at('font')}") } p { font-family: x }</style><p>x</p>`,
  link: (
    at,
  ) => `<link rel="stylesheet" href="${at('sheet')}"><link rel="preload" as="image" href="${at('preload')}">
    <link rel="prefetch" href="${at('prefetch')}"><link rel="preconnect" href="${at('preconnect')}">
    <link rel="dns-prefetch" href="${at('dns')}"><link rel="icon" href="${at('icon')}">`,
  iframe: (at) => `<iframe src="${at('iframe')}"></iframe>
    <iframe srcdoc="&lt;img src='${at('srcdoc')}'&gt;"></iframe>
    <iframe srcdoc="&lt;meta http-equiv=refresh content='0;url=${at('refresh')}'&gt;"></iframe>`,
  embed: (at) => `<object data="${at('object')}"></object><embed src="${at('embed')}">
    <video src="${at('video')}" poster="${at('poster')}" preload="auto"></video>`,
  svg: (at) => `<svg><use href="${at('use')}#x"/><image href="${at('svgimage')}" width="9" height="9"/>
    <filter id="f"><feImage href="${at('feimage')}"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>`,
  script: (
    at,
  ) => `<script src="${at('script')}"></script><script type="module" src="${at('module')}"></script>
    <script>
      fetch('${at('fetch')}', { mode: 'no-cors' }).catch(() => {});
      fetch('${at('post')}', { mode: 'no-cors', method: 'POST', body: 'x' }).catch(() => {});
      const request = new XMLHttpRequest(); request.open('GET', '${at('xhr')}'); request.send();
      navigator.sendBeacon('${at('beacon')}', 'x');
      new EventSource('${at('events')}');
      new Image().src = '${at('image')}';
      const ask = "importScripts('${at('importscripts')}'); fetch('${at('worker')}')";
      new Worker(URL.createObjectURL(new Blob([ask])));
      try { new WebSocket('${at('socket')}'.replace('http', 'ws')); } catch {}
      window.open('${at('popup')}');
      const form = document.createElement('form');
      const frame = document.createElement('iframe'); frame.name = 'target'; document.documentElement.append(frame);
      Object.assign(form, { action: '${at('form')}', method: 'post', target: 'target' });
      document.documentElement.append(form); form.submit();
    </script>`,
};

it('nothing that a page asks for arrives inside, by whichever way it asks', async () => {
  const [canary, udp] = [await startCanary(), await startUdpCanary()];
  const { world, take } = await createPictures();
  const arrived = new Set<string>();
  const ofTheWeb = (id: string) => `http://web.example/${id}`;
  const { port } = canary;
  const hosts = [
    ...['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '0.0.0.0'],
    ...['inside.example', 'turning.example', 'sub.localhost', '①②⑦.⓪.⓪.①'],
  ];
  let asked = 0;
  await world.site('web.example', (request, response) => {
    arrived.add(request.url?.slice(1) ?? '');
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/plain' }).end('x');
  });
  const [address = ''] = world.dns.get('web.example') as readonly string[];
  world.dns.set('inside.example', ['127.0.0.1']);
  world.dns.set('turning.example', () => (asked++ % 2 === 0 ? [address] : ['127.0.0.1']));
  await world.site('site.example', (request, response) => {
    if (request.url === '/lead')
      return response.writeHead(302, { location: `http://127.0.0.1:${port}/lead` }).end();
    const all = Object.values(kinds);
    const inside = hosts.map((host) =>
      all.map((kind) => kind((id) => `http://${host}:${port}/${id}`)).join('\n'),
    );
    return response.writeHead(200, html).end(`<body>
      ${all.map((kind) => kind(ofTheWeb)).join('\n')}
      ${inside.map((text) => text.replaceAll("frame.name = 'target'", 'frame.name = String(Math.random())')).join('\n')}
      <img src="/lead"><iframe src="/lead"></iframe>
      <iframe src="file:///etc/passwd"></iframe><iframe src="chrome://version"></iframe>
      <img src="file:///etc/hostname"><img src="http://169.254.169.254/latest/meta-data/">
      <script>
        for (const at of ['stun:127.0.0.1:${udp.port}', 'turn:127.0.0.1:${udp.port}', 'turn:127.0.0.1:${port}?transport=tcp']) {
          const peer = new RTCPeerConnection({ iceServers: [{ urls: at, username: 'a', credential: 'b' }] });
          peer.createDataChannel('x');
          peer.createOffer().then((offer) => peer.setLocalDescription(offer));
        }
        try { new WebTransport('https://127.0.0.1:${udp.port}/'); } catch {}
      </script>`);
  });
  expect(await take('http://site.example/')).toBeDefined();
  // So that it is no wonder that nothing arrives: the same page reaches the web by these ways.
  for (const id of [
    'img',
    'import',
    'iframe',
    'fetch',
    'xhr',
    'svgimage',
    'socket',
    'srcdoc',
    'refresh',
    'importscripts',
  ])
    expect(arrived, id).toContain(id);
  expect(canary).toMatchObject({ connections: 0, bytes: 0 });
  expect(udp.messages).toBe(0);
  expect(world.dials.filter((one) => !one.startsWith('93.184.216.'))).toEqual([]);
});

it.each([
  ['a redirect', (to: string) => [302, { location: to }, ''] as const],
  ['a refresh', (to: string) => [200, html, `<meta http-equiv="refresh" content="0;url=${to}">`] as const],
  ['a script', (to: string) => [200, html, `<h1>x</h1><script>location = '${to}'</script>`] as const],
])('a page that leads inside by %s is not shown, and nothing arrives there', async (_way, answerWith) => {
  const canary = await startCanary();
  const { world, take } = await createPictures();
  await world.site('site.example', (_request, response) => {
    const [status, headers, body] = answerWith(`http://localhost:${canary.port}/`);
    response.writeHead(status, headers).end(body);
  });
  expect(await take('http://site.example/')).toBeUndefined();
  expect(canary).toMatchObject({ connections: 0, bytes: 0 });
});
