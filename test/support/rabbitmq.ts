// A real RabbitMQ of the test's own: all ports free ones on loopback, all files in one folder, its own epmd. Its start
// takes seconds: use one per file that needs it, not one per test.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connect } from 'amqplib';
import { collectOutput, findFreePort, hasExited, spawnTied, stopChild, waitUntilReady } from './child-process.ts';
import { listProcesses, readStat } from './process-stat.ts';

const brokerProgram = '/usr/lib/rabbitmq/bin/rabbitmq-server';
const epmdProgram = 'epmd';
export const rabbitPrograms = [brokerProgram, epmdProgram];

export type RunningRabbit = AsyncDisposable & {
  readonly url: string;
  /** kill -9 of the whole broker, as a power cut does to the process. */
  crash(): Promise<void>;
  /** Starts it again on the same ports and the same files. */
  restart(): Promise<void>;
  /** Accepts bytes but answers nothing, until `resume`. */
  freeze(): Promise<void>;
  resume(): void;
};

type BrokerFiles = {
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  readonly epmdPort: number;
  readonly env: NodeJS.ProcessEnv;
};

export const startRabbit = async (): Promise<RunningRabbit> => {
  const setup = await prepare();
  const epmd = spawnTied(epmdProgram, ['-port', String(setup.epmdPort), '-address', '127.0.0.1'], {
    env: setup.env,
    stdio: 'ignore',
  });
  let broker = await launch(setup);
  const signal = (name: NodeJS.Signals) => {
    if (broker.pid !== undefined && !hasExited(broker)) process.kill(-broker.pid, name);
  };
  const crash = async () => {
    if (hasExited(broker)) return;
    const exited = once(broker, 'exit');
    signal('SIGKILL');
    await exited;
  };
  return {
    url: setup.url,
    crash,
    restart: async () => {
      broker = await launch(setup);
    },
    freeze: async () => {
      signal('SIGSTOP');
      // The signal is sent, but on a busy machine the broker answers a little longer.
      while (!isStopped(broker.pid ?? -1)) await setTimeout(2);
    },
    resume: () => signal('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      await crash();
      await stopChild(epmd, 'SIGKILL');
      await rm(setup.folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

/** Whether every thread of every process of the group is stopped. */
const isStopped = (group: number): boolean =>
  listProcesses().every(pid => {
    const stat = readStat(`/proc/${pid}/stat`);
    if (stat.group !== group) return true;
    return (
      stat.state === 'T' &&
      readdirSync(`/proc/${pid}/task`).every(id => readStat(`/proc/${pid}/task/${id}/stat`).state === 'T')
    );
  });

const prepare = async (): Promise<BrokerFiles> => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-rabbit-'));
  const [port, distPort, epmdPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const inFolder = (name: string) => join(folder, name);
  await mkdir(inFolder('log'));
  await writeFile(inFolder('enabled_plugins'), '[].');
  await writeFile(
    inFolder('rabbitmq.conf'),
    [
      `listeners.tcp.1 = 127.0.0.1:${port}`,
      'default_user = tester',
      'default_pass = secret',
      'log.console = true',
      'log.console.level = error',
      'log.file = false',
    ].join('\n'),
  );
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: folder,
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `test${port}@localhost`,
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: inFolder('mnesia'),
    RABBITMQ_LOG_BASE: inFolder('log'),
    RABBITMQ_CONFIG_FILE: inFolder('rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: inFolder('enabled_plugins'),
    RABBITMQ_GENERATED_CONFIG_DIR: inFolder('config'),
    RABBITMQ_FEATURE_FLAGS_FILE: inFolder('feature_flags'),
    RABBITMQ_PID_FILE: inFolder('pid'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1} +S 2:2 +sbwt none',
  };
  return { folder, port, epmdPort, env, url: `amqp://tester:secret@127.0.0.1:${port}` };
};

const launch = async ({ env, url }: BrokerFiles): Promise<ChildProcess> => {
  // The inner script: the outer one changes the user and logs to system folders. A process group of its own, so that a
  // signal reaches the Erlang machine below the script.
  const broker = spawnTied(brokerProgram, [], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collectOutput(broker);
  const attempt = async () => {
    const connection = await connect(url, { timeout: 2000 });
    await connection.close();
  };
  await waitUntilReady(broker, attempt, { timeoutMs: 300_000, pollMs: 50, output });
  return broker;
};
