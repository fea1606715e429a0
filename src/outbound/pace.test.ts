import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../test/support/depth.ts';
import { settled, TestTimers } from '../../test/support/timers.ts';
import { createPace, memoryOfPauses, type Pacing, paceKeyOf, TurnTooLate } from './pace.ts';

const usual: Pacing = { maxConcurrent: 2, gapMs: 500 };

function start(pacing: Pacing = usual) {
  const timers = new TestTimers();
  const pace = createPace(timers, pacing);
  const started: string[] = [];
  const enter = async (key: string, name: string, signal?: AbortSignal, maxWaitMs?: number) => {
    const end = await pace.enter(key, signal, maxWaitMs);
    started.push(name);
    return end;
  };
  return { timers, pace, started, enter };
}

describe('turns at one host', () => {
  it('are two at a time, half a second apart, in the order they were asked for', async () => {
    const { timers, started, enter } = start();
    const [a, b] = [enter('k', 'a'), enter('k', 'b'), enter('k', 'c'), enter('k', 'd')];
    await settled();
    expect(started).toEqual(['a']);
    await timers.advance(499);
    expect(started).toEqual(['a']);
    await timers.advance(1);
    expect(started).toEqual(['a', 'b']);
    await timers.advance(60_000);
    expect(started).toEqual(['a', 'b']);
    (await b)();
    await settled();
    expect(started).toEqual(['a', 'b', 'c']);
    (await a)();
    await settled();
    expect(started).toEqual(['a', 'b', 'c']);
    await timers.advance(500);
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are not held up by another host, however many wait there', async () => {
    const { started, enter } = start();
    for (let index = 0; index < 1_000; index++) void enter('hostile', `h${index}`);
    for (let index = 0; index < 49; index++) void enter(`host ${index}`, `o${index}`);
    await settled();
    expect(started).toHaveLength(50);
  });

  it('end once, though the end is told twice', async () => {
    const { started, enter } = start({ maxConcurrent: 1, gapMs: 0 });
    const end = await enter('k', 'a');
    void enter('k', 'b');
    void enter('k', 'c');
    end();
    end();
    await settled();
    expect(started).toEqual(['a', 'b']);
  });

  it('are given up when the caller cancels, and the next in line is not kept waiting', async () => {
    const { started, enter } = start({ maxConcurrent: 1, gapMs: 0 });
    const end = await enter('k', 'a');
    const controller = new AbortController();
    const b = enter('k', 'b', controller.signal);
    void enter('k', 'c');
    controller.abort();
    await expect(b).rejects.toMatchObject({ reason: 'cancelled' });
    end();
    await settled();
    expect(started).toEqual(['a', 'c']);
  });

  it('are not given to one who has cancelled before asking', async () => {
    const { pace, enter } = start();
    await expect(enter('k', 'a', AbortSignal.abort())).rejects.toMatchObject({ reason: 'cancelled' });
    expect(pace.size).toBe(0);
  });

  it('that do not come in time are not waited for, and the others keep their order', async () => {
    const { timers, pace, started, enter } = start({ maxConcurrent: 1, gapMs: 0 });
    const a = enter('k', 'a');
    const b = enter('k', 'b');
    const late = [enter('k', 'c', undefined, 1_000), enter('k', 'd', new AbortController().signal, 2_000)];
    const answers = Promise.allSettled(late);
    const e = enter('k', 'e', undefined, 3_000);
    void enter('k', 'f', undefined, Number.POSITIVE_INFINITY);
    await timers.advance(999);
    expect(timers.pending).toBe(3);
    await timers.advance(1_001);
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    for (const turn of late) await expect(turn).rejects.toBeInstanceOf(TurnTooLate);
    expect(started).toEqual(['a']);
    (await a)();
    (await b)();
    (await e)();
    await settled();
    expect(started).toEqual(['a', 'b', 'e', 'f']);
    expect([timers.pending, pace.size]).toEqual([0, 1]);
  });

  it('that come in time are kept, and those that come at once are not timed', async () => {
    const { timers, started, enter } = start({ maxConcurrent: 1, gapMs: 500 });
    const end = await enter('k', 'a', undefined, 0);
    expect(timers.pending).toBe(0);
    const b = enter('k', 'b', undefined, 500);
    end();
    await timers.advance(500);
    const c = enter('k', 'c');
    await timers.advance(60_000);
    (await b)();
    await c;
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('are given up by whoever cancels before the time is over, and no timer stays', async () => {
    const { timers, enter } = start({ maxConcurrent: 1, gapMs: 0 });
    await enter('k', 'a');
    const controller = new AbortController();
    const b = enter('k', 'b', controller.signal, 1_000);
    controller.abort();
    await expect(b).rejects.toMatchObject({ reason: 'cancelled' });
    expect(timers.pending).toBe(0);
  });

  it('leave nothing behind', async () => {
    const { timers, pace, enter } = start();
    for (const key of ['x', 'y', 'z']) (await enter(key, key))();
    expect(pace.size).toBe(3);
    await timers.advance(500);
    expect(pace.size).toBe(0);
    expect(timers.pending).toBe(0);
  });

  it('never exceed their number, keep their distance, pass nobody over, and all come', async () => {
    const requests = fc.array(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        workMs: fc.nat(3_000),
        afterMs: fc.nat(800),
        abort: fc.boolean(),
        maxWaitMs: fc.option(fc.nat(2_000), { nil: undefined }),
      }),
      { maxLength: 30 },
    );
    const pacing = fc.record({ maxConcurrent: fc.integer({ min: 1, max: 3 }), gapMs: fc.nat(700) });
    await fc.assert(
      fc.asyncProperty(requests, pacing, async (all, { maxConcurrent, gapMs }) => {
        const { timers, pace } = start({ maxConcurrent, gapMs });
        const running = new Map<string, number>();
        const starts = new Map<string, number[]>();
        const order = new Map<string, number[]>();
        const ended: Promise<unknown>[] = [];
        for (const [index, { key, workMs, afterMs, abort, maxWaitMs }] of all.entries()) {
          const controller = new AbortController();
          const run = async () => {
            const askedAt = timers.now();
            const end = await pace.enter(key, controller.signal, maxWaitMs);
            expect(timers.now() - askedAt).toBeLessThanOrEqual(maxWaitMs ?? Number.POSITIVE_INFINITY);
            running.set(key, (running.get(key) ?? 0) + 1);
            expect(running.get(key)).toBeLessThanOrEqual(maxConcurrent);
            starts.set(key, [...(starts.get(key) ?? []), timers.now()]);
            order.set(key, [...(order.get(key) ?? []), index]);
            await new Promise<void>((resolve) => timers.after(workMs, resolve));
            running.set(key, (running.get(key) ?? 0) - 1);
            end();
          };
          const work = run().catch((error) => {
            if (error instanceof TurnTooLate && maxWaitMs !== undefined) return;
            if (!abort || error.reason !== 'cancelled') throw error;
          });
          ended.push(work);
          if (abort) timers.after(200, () => controller.abort());
          await timers.advance(afterMs);
        }
        await timers.advance(all.length * 4_000);
        await Promise.all(ended);
        expect(pace.size).toBe(0);
        for (const times of starts.values()) {
          times.forEach((at, index) => {
            const before = times[index - 1];
            if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(gapMs);
          });
        }
        for (const indexes of order.values()) expect(indexes).toEqual(indexes.toSorted((x, y) => x - y));
      }),
      propertyRuns(40),
    );
  });
});

describe('whose turn it is', () => {
  it.each([
    ['feeds.bbci.co.uk', 'domain:bbci.co.uk'],
    ['www.example.org', 'domain:example.org'],
    ['EXAMPLE.org.', 'domain:example.org'],
    ['anna.github.io', 'domain:anna.github.io'],
    ['93.184.216.34', 'domain:93.184.216.34'],
    ['2606:4700:4700::1111', 'domain:2606:4700:4700::1111'],
  ])('goes by the registrable domain of %s', (hostname, key) => {
    expect(paceKeyOf({ hostname, isPrivate: false }, 'http://feed/')).toBe(key);
  });

  it('goes by the feed on a private network', () => {
    expect(paceKeyOf({ hostname: 'rsshub.lan', isPrivate: true }, 'http://rsshub.lan/a')).toBe(
      'private:http://rsshub.lan/a',
    );
  });
});

it('a pause is remembered until it is over', async () => {
  const timers = new TestTimers();
  const pauses = memoryOfPauses(timers.now);
  await pauses.remember('k', timers.now() + 1_000);
  expect(await pauses.find('k')).toBe(timers.now() + 1_000);
  expect(await pauses.find('other')).toBeUndefined();
  await timers.advance(1_000);
  expect(await pauses.find('k')).toBeUndefined();
});

it('a pause that was remembered while the clock was ahead is over when the clock is set back', async () => {
  let now = 1_000_000;
  const jumpMs = 20 * 3_600_000;
  const pauses = memoryOfPauses(() => now);
  now += jumpMs;
  await pauses.remember('k', now + 60_000);
  expect(await pauses.find('k')).toBe(now + 60_000);
  now -= jumpMs;
  expect(await pauses.find('k')).toBeUndefined();
});
