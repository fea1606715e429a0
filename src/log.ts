// Logs by pino: one JSON object a line, or, for a person at a terminal, one line of text.
import { Writable } from 'node:stream';
import pino from 'pino';
import type { Unavailable } from './errors.ts';
import { createOutageLog, type OutageLog, outageOf } from './outage-log.ts';

export type Log = pino.Logger;

export interface LogOptions {
  readonly level: string;
  readonly format: 'auto' | 'text' | 'json';
  readonly out: NodeJS.WritableStream & { isTTY?: boolean };
  /** Called instead of logging a warning or an error that an outage of the index or the library caused. */
  readonly onOutage?: (outage: Unavailable) => void;
}

// Where a secret could arrive by an honest mistake: a logged header, body or option. Secrets of our own are
// `Secret` objects, which print as [secret] wherever they end up.
const secretKeys = [
  ...['password', 'current_password', 'passwordHash', 'password_hash'],
  ...['token', 'secret', 'clientSecret', 'client_secret', 'apiKey', 'api_key'],
  ...['authorization', 'cookie', 'set-cookie', 'Authorization', 'Cookie', 'Set-Cookie'],
];
const redact = secretKeys.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);

export function writesText({ format, out }: Pick<LogOptions, 'format' | 'out'>): boolean {
  return format === 'text' || (format === 'auto' && out.isTTY === true);
}

const warnLevel = pino.levels.values.warn ?? 40;

function errorIn(fields: unknown): unknown {
  return typeof fields === 'object' && fields !== null && 'err' in fields ? fields.err : undefined;
}

export function createLog(options: LogOptions): Log {
  const asText = writesText(options);
  const { onOutage } = options;
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redact, censor: '[secret]' },
      serializers: { err: serializeError },
      hooks: {
        logMethod(args, method, level) {
          const [fields] = args as readonly unknown[];
          const outage = onOutage && level >= warnLevel ? outageOf(errorIn(fields)) : undefined;
          if (!outage) return method.apply(this, args);
          onOutage?.(outage);
          this.debug(...args);
        },
      },
    },
    asText ? textLines(options.out) : options.out,
  );
}

/** The log of a process, and what it has noticed of outages. */
export function openLog(options: Omit<LogOptions, 'onOutage'>): { log: Log; outages: OutageLog } {
  const log = createLog({ ...options, onOutage: (outage) => outages.noticed(outage) });
  const outages = createOutageLog({ log });
  return { log, outages };
}

/** The error and its causes, with credentials in addresses blotted out. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const chain: string[] = [];
  for (let cause = error.cause; cause instanceof Error && chain.length < 5; cause = cause.cause) {
    chain.push(blot(`${cause.name}: ${cause.message}`));
  }
  return {
    type: error.name,
    message: blot(error.message),
    stack: blot(error.stack ?? ''),
    ...(chain.length > 0 && { causes: chain }),
  };
}

function blot(text: string): string {
  // To the last @: a password may hold one, and hiding too much does no harm.
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s"'<>]+@/gi, '$1[secret]@');
}

function textLines(out: NodeJS.WritableStream): Writable {
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      out.write(asTextLine(line));
      done();
    },
  });
}

export function asTextLine(json: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(json);
  const details = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const head = [String(time).slice(11, 19), String(level).padEnd(5), msg, ...details].join(' ');
  if (!err) return `${head}\n`;
  const causes = (err.causes ?? []).map((cause: string) => `caused by ${cause}\n`).join('');
  return `${head}\n${err.stack || err.message || JSON.stringify(err)}\n${causes}`;
}
