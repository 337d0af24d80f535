// A command line of the CLI in the process of a test, which takes a tenth of the time of a process of its own. What only a
// process shows (its signals, terminal, parallel runs) needs one: `run` and `type` of cli/src/testing.ts.
import { PassThrough, Writable } from 'node:stream';

type CommandLine = {
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly input: string;
};

type StreamName = 'stdin' | 'stdout' | 'stderr';

function openOutput() {
  const parts: Buffer[] = [];
  const stream = new Writable({
    write(part: Buffer, _encoding, done) {
      parts.push(part);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(parts).toString('utf8') };
}

function replaceEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
}

/** Puts folder, environment and streams in place, until the end of the run. */
function enter(
  folder: string,
  env: Readonly<Record<string, string>>,
  streams: Readonly<Record<StreamName, unknown>>,
): Disposable {
  const before = { folder: process.cwd(), env: { ...process.env }, exitCode: process.exitCode };
  const names = Object.keys(streams) as StreamName[];
  const properties = names.map(name => [name, Object.getOwnPropertyDescriptor(process, name) ?? {}] as const);
  process.chdir(folder);
  replaceEnvironment(env);
  process.exitCode = undefined;
  for (const name of names) Object.defineProperty(process, name, { value: streams[name], configurable: true });
  return {
    [Symbol.dispose]() {
      for (const [name, property] of properties) Object.defineProperty(process, name, property);
      process.exitCode = before.exitCode;
      replaceEnvironment(before.env);
      process.chdir(before.folder);
    },
  };
}

let isRunning = false;

export async function runInThisProcess({ args, env, folder, input }: CommandLine) {
  if (isRunning) throw new Error('one command line at a time in this process: start others with home.run');
  const { runCommandLine } = await import('../../cli/src/run.ts');
  const [stdout, stderr] = [openOutput(), openOutput()];
  const stdin = new PassThrough();
  stdin.end(input);
  isRunning = true;
  try {
    using _entered = enter(folder, env, { stdin, stdout: stdout.stream, stderr: stderr.stream });
    await runCommandLine(args);
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    isRunning = false;
  }
}
