// Structured logs: one JSON line per event, readable lines on a terminal. Secrets are cut out by name, whatever
// object they hang on; bodies and headers are never logged.
import { type Logger, pino } from 'pino';
import { systemClock, toIso } from '../clock.ts';

export type Log = Logger;

const secretNames = [
  'authorization',
  'cookie',
  'password',
  'token',
  'sseToken',
  'setupCode',
  'mailCode',
  'secret',
  'dataKey',
  'masterKey',
];

type LogOptions = { readonly level: string; readonly pretty: boolean };

export async function openLog({ level, pretty }: LogOptions): Promise<Log> {
  const options = {
    level,
    base: null,
    redact: { paths: secretNames.flatMap(name => [name, `*.${name}`, `*.*.${name}`]), censor: '(cut)' },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: () => `,"time":"${toIso(systemClock.now())}"`,
  };
  if (!pretty) return pino(options, pino.destination({ fd: 2, sync: true }));
  const { PinoPretty } = await import('pino-pretty');
  const stream = PinoPretty({
    colorize: process.stderr.hasColors?.() ?? false,
    translateTime: 'HH:MM:ss',
    hideObject: true, // the line says it all; an error is shown all the same
    destination: 2,
    sync: true,
  });
  return pino(options, stream);
}

export const silentLog: Log = pino({ level: 'silent' });
