import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemResolver } from '../../src/outbound/system-resolver.ts';

/** A name server on the loopback (RFC 1035) that knows these addresses, and counts what it is asked. */
async function startNameServer(names: Record<string, { a?: number[]; aaaa?: string }>) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    let end = 12;
    const labels: string[] = [];
    for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
      labels.push(query.subarray(end + 1, end + 1 + length).toString());
      end += 1 + length;
    }
    const type = query.readUInt16BE(end + 1);
    const known = names[labels.join('.')];
    asked.push(`${type === 1 ? 'A' : 'AAAA'} ${labels.join('.')}`);
    const data =
      type === 1 ? known?.a && Buffer.from(known.a) : known?.aaaa && Buffer.from(known.aaaa, 'hex');
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(data ? 1 : 0, 6);
    head.fill(0, 8);
    const answer =
      data && Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
    socket.send(
      Buffer.concat([head, query.subarray(12, end + 5), ...(answer ? [answer] : [])]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return { asked, servers: [`127.0.0.1:${socket.address().port}`] };
}

describe('DNS', () => {
  it('is asked for both kinds of address, once each, and gives IPv4 first', async () => {
    const { servers, asked } = await startNameServer({
      'a.example': { a: [93, 184, 216, 34], aaaa: '26064700000000000000000000001111' },
    });
    const resolve = systemResolver({ allowPrivateNetworks: false, servers });
    expect(await resolve('a.example')).toEqual(['93.184.216.34', '2606:4700::1111']);
    expect(asked.sort()).toEqual(['A a.example', 'AAAA a.example']);
  });

  it('may know one kind only', async () => {
    const { servers } = await startNameServer({
      'four.example': { a: [1, 2, 3, 4] },
      'six.example': { aaaa: '26064700000000000000000000001111' },
    });
    const resolve = systemResolver({ allowPrivateNetworks: false, servers });
    expect(await resolve('four.example')).toEqual(['1.2.3.4']);
    expect(await resolve('six.example')).toEqual(['2606:4700::1111']);
  });

  it('that knows no such name is an error', async () => {
    const { servers } = await startNameServer({});
    await expect(systemResolver({ allowPrivateNetworks: false, servers })('nowhere.example')).rejects.toThrow(
      /ENOTFOUND/,
    );
  });

  it("is followed by the machine's own names where private networks are allowed", async () => {
    const { servers } = await startNameServer({});
    const resolve = systemResolver({ allowPrivateNetworks: true, servers });
    expect(await resolve('localhost')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]),
    );
  });
});
