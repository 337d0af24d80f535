// Commands about the whole installation: admin health, chain, stats, monitor.
import { integer } from '@oclif/core/flags';
import { getChainStatus } from '@recordproof/shared/api/chain.ts';
import { type ComponentHealth, getHealth } from '@recordproof/shared/api/monitor.ts';
import { getSystemStats, type SystemMonitor } from '@recordproof/shared/api/system.ts';
import { command } from '../platform/command.ts';
import { claimScreen, followLines } from '../platform/dashboard/follow-lines.ts';
import { counted, printable, writeData, writeJsonLine } from '../platform/output.ts';
import { alignRows, type Fitting, tableOf, words } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';
import { openSampler } from './monitor-samples.ts';
import { monitorLine } from './monitor-texts.ts';

type Part = ComponentHealth & { readonly name: string };

const partsTable = tableOf<Part>({
  PART: part => part.name,
  STATUS: part => part.status,
  DETAILS: words(part => toText(part.details)),
});

const toText = (details: ComponentHealth['details'] = {}): string =>
  Object.entries(details)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');

export const health = command({
  summary: 'Show how every part of the service is',
  description: 'The parts of /actuator/health. Ends with 0 when all of them are up, with 1 when not.',
  examples: [{ command: 'admin health', description: 'All parts and their details' }],
  run: async ({ context }) => (await context.session()).call(getHealth),
  text({ components = {} }): Fitting {
    return partsTable(Object.entries(components).map(([name, part]) => ({ name, ...part })));
  },
  note: ({ status }) => `the service is ${status}`,
  ending: ({ status }) => (status === 'UP' ? 'ok' : 'refused'),
});

export const chain = command({
  summary: 'Show how the chain of records is doing',
  examples: [{ command: 'admin chain', description: 'Height, transactions, nodes' }],
  run: async ({ context }) => (await context.session()).call(getChainStatus),
  text: chain =>
    alignRows([
      ['chain', chain.chainType],
      ['healthy', chain.healthy ? 'yes' : 'no'],
      ['height', String(chain.blockNumber ?? 'no answer')],
      ['transactions', `${chain.transactionCount}, ${chain.failedTransactionCount} failed`],
      ['nodes', String(chain.nodeCount)],
      ['last update', chain.lastUpdateTime ?? 'none'],
    ]),
});

export const stats = command({
  summary: 'Show the figures of the tenant',
  examples: [{ command: 'admin stats', description: 'Users, files, storage, transactions, and the figures of today' }],
  run: async ({ context }) => (await context.session()).call(getSystemStats),
  text: stats =>
    alignRows([
      ['users', String(stats.totalUsers)],
      ['files', String(stats.totalFiles)],
      ['storage', `${toSize(stats.totalStorage)} (${counted(stats.totalStorage, 'byte')})`],
      ['transactions', String(stats.totalTransactions)],
      ['uploads today', String(stats.todayUploads)],
      ['downloads today', String(stats.todayDownloads)],
    ]),
});

/** As JSON every sample, as text only changes. */
function openPrinter(asJson: boolean): (monitor: SystemMonitor) => void {
  let lastLine = '';
  return monitor => {
    if (asJson) return writeJsonLine(monitor);
    const news = monitorLine(monitor);
    if (news === lastLine) return;
    lastLine = news;
    writeData(`${monitor.time}  ${printable(news)}`);
  };
}

export const monitor = command({
  summary: 'Watch health, traffic, queues, storage, chain and alerts',
  description:
    'On a terminal a screen that q leaves. Elsewhere a line whenever something has changed, with --json one JSON document per sample. All samples come over one stream; a server that gives none is asked for each. An outage of the server is waited out. Queues, calls and the store are shown where the installation has one tenant, and to its administrators; calls, memory and load are those of the one server that answers.',
  examples: [
    { command: 'admin monitor', description: 'A sample every two seconds' },
    { command: 'admin monitor --every 60 --json >> monitor.ndjson', description: 'For another program' },
  ],
  flags: {
    every: integer({ helpValue: '<seconds>', min: 1, max: 3600, default: 2, summary: 'Time between two samples.' }),
    count: integer({
      helpValue: '<n>',
      min: 1,
      aliases: ['looks'],
      summary: 'End after this many samples; lines instead of a screen.',
    }),
  },
  writesAsItGoes: true,
  async run({ flags: { every, count, json = false }, context }) {
    const client = await context.session();
    using sampler = openSampler(client, every);
    if (!json && count === undefined && claimScreen(context)) {
      const { watchOnScreen } = await import('./monitor-screen.ts');
      return await watchOnScreen({ read: sampler.read, waits: context.waits });
    }
    await followLines({ read: sampler.read, everyMs: 0, count, tell: openPrinter(json) });
  },
});
