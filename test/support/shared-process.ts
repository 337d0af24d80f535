// Files of one project share processes: each must leave its process as it found it.
import { afterAll, expect, vi } from 'vitest';

const events = ['uncaughtException', 'unhandledRejection'];

const { env } = process;

const readState = () => ({
  environment: { ...process.env },
  isSameEnvironment: process.env === env, // vi.unstubAllEnvs changes the object that it was given first
  folder: process.cwd(),
  umask: process.umask(),
  exitCode: process.exitCode,
  prints: [process.stdout.write, process.stderr.write],
  hasRealTimers: !vi.isFakeTimers(),
  listeners: Object.fromEntries(events.map(name => [name, process.listenerCount(name)])),
});

const found = readState();

afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  expect(readState(), 'a file left its process in another state, which later files would see').toEqual(found);
});
