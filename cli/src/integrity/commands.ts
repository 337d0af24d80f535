// Commands of integrity checks and their alerts.
import { option, string } from '@oclif/core/flags';
import { recordId } from '@recordproof/shared/api/common.ts';
import {
  acknowledgeIntegrityAlert,
  alertSeverities,
  alertStatuses,
  checkIntegrity,
  checkLevels,
  foundTypes,
  getIntegrityAlert,
  getIntegrityScrub,
  listIntegrityAlerts,
  repairChunk,
  repairIntegrityAlert,
  resolveIntegrityAlert,
} from '@recordproof/shared/api/integrity.ts';
import { command } from '../platform/command.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { everyFlag, watchChanges } from '../platform/dashboard/follow-lines.ts';
import { parseField } from '../platform/fields.ts';
import { callLong } from './call-long.ts';
import { findInBackup, readBytes } from './find-in-backup.ts';
import { alertLines, countsText, readOpenAlerts } from './open-alerts.ts';
import {
  alertArgument,
  alertPages,
  alertsTable,
  alertText,
  checkText,
  repairText,
  scrubText,
  toAlertParams,
} from './tables.ts';

export const check = command({
  summary: 'Check all stored files of the tenant now, or one of them',
  description:
    'LIGHTWEIGHT asks the store about every chunk without reading it, MEDIUM also proves the manifests, HEAVY reads sampled chunks, asks the chain, opens the key of each file and checks its proof, FULL reads every byte. Waits until it is over; Ctrl-C ends the check. Ends with exit code 1 when something was found or could not be checked.',
  examples: [
    { command: 'admin integrity check', description: 'Everything, thoroughly' },
    { command: 'admin integrity check --level LIGHTWEIGHT', description: 'Is everything still there?' },
    { command: 'admin integrity check --level FULL', description: 'Every byte of every file' },
    { command: 'admin integrity check --file 42', description: 'One file' },
  ],
  flags: {
    level: option({ options: checkLevels, default: 'HEAVY', summary: 'How thoroughly.' })(),
    file: string({ helpValue: '<id>', summary: 'Only this file.' }),
  },
  async run({ flags, context }) {
    const file = flags.file === undefined ? {} : { fileId: parseField('--file', recordId, flags.file) };
    return callLong(context, checkIntegrity, { body: { level: flags.level, ...file } });
  },
  ending: ({ mismatchesFound, errorsEncountered }) => (mismatchesFound + errorsEncountered > 0 ? 'refused' : 'ok'),
  text: checkText,
  note: ({ mismatchesFound }) =>
    mismatchesFound === 0 ? '' : 'what was found: recordproof admin integrity alerts --status PENDING',
});

export const scrub = command({
  summary: 'Show how far the scrub has come',
  description:
    'The server reads every stored byte again within a number of days. To read everything now: admin integrity check --level FULL.',
  examples: [{ command: 'admin integrity scrub', description: 'Pace, what is due, and the oldest reading' }],
  run: async ({ context }) => (await context.session()).call(getIntegrityScrub),
  text: scrubText,
});

export const alerts = command({
  summary: 'List the alerts, the newest first',
  examples: [
    { command: 'admin integrity alerts', description: 'The newest twenty' },
    { command: 'admin integrity alerts --status PENDING --wide', description: 'Alerts that are not acknowledged' },
  ],
  flags: {
    ...alertPages.flags,
    status: option({ options: alertStatuses, summary: 'Only those in this state.' })(),
    severity: option({ options: alertSeverities, summary: 'Only those of this severity.' })(),
    type: option({ options: foundTypes, summary: 'Only those of this type.' })(),
    file: string({ helpValue: '<id>', summary: 'Only those about this file.' }),
  },
  async run({ flags, context }) {
    const filters = {
      ...(flags.status !== undefined && { status: flags.status }),
      ...(flags.severity !== undefined && { severity: flags.severity }),
      ...(flags.type !== undefined && { type: flags.type }),
      ...(flags.file !== undefined && { fileId: parseField('--file', recordId, flags.file) }),
    };
    const client = await context.session();
    return client.call(listIntegrityAlerts, { query: { ...alertPages.toQuery(flags), ...filters } });
  },
  text: alertsTable,
  note: alertPages.note,
});

export const show = command({
  summary: 'Show what was found, what became of it and what can be done',
  examples: [{ command: 'admin integrity show 12', description: 'All that is known of alert 12' }],
  args: alertArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(getIntegrityAlert, { params: toAlertParams(args.alert) }),
  text: alertText,
});

export const ack = command({
  summary: 'Acknowledge an alert',
  examples: [{ command: 'admin integrity ack 12', description: 'It is yours now' }],
  args: alertArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(acknowledgeIntegrityAlert, { params: toAlertParams(args.alert) }),
  text: alertText,
});

export const resolve = command({
  summary: 'Resolve an alert',
  description: 'Nothing is repaired by it: a repair resolves its alert itself. What is still damaged is found again.',
  examples: [
    { command: 'admin integrity resolve 12 --note "restored by hand"', description: 'Asks before it does' },
    { command: 'admin integrity resolve 12 --yes', description: 'For scripts: does not ask' },
  ],
  args: alertArgument,
  flags: { note: string({ helpValue: '<text>', default: '', summary: 'Why; at most 512 characters.' }), yes: yesFlag },
  async run({ flags, args, context }) {
    const params = toAlertParams(args.alert);
    const client = await context.session();
    if (!flags.yes) await confirm(context, `Resolve alert ${params.id}?`, 'nothing was resolved');
    return client.call(resolveIntegrityAlert, { params, body: { note: flags.note } });
  },
  text: alertText,
});

export const repair = command({
  summary: 'Heal a damaged file, and resolve its alert',
  description:
    'The server reads the whole file again and takes what is damaged from other records of the same content. With --from a folder is searched, too: for the stored objects (of a restored backup of the server) and for the file itself (of a backup of its owner), under any names. The server takes only bytes that are exactly the recorded ones. Ends with exit code 1 when something is still damaged.',
  examples: [
    { command: 'admin integrity repair 12', description: 'From other copies on the server' },
    { command: 'admin integrity repair 12 --from /restored/objects', description: 'And from a restored backup' },
  ],
  args: alertArgument,
  flags: { from: string({ helpValue: '<folder>', summary: 'A backup to search for what is damaged.' }), yes: yesFlag },
  async run({ flags, args, context }) {
    const params = toAlertParams(args.alert);
    if (!flags.yes)
      await confirm(context, `Replace the damaged bytes that alert ${params.id} is about?`, 'nothing was replaced');
    const first = await callLong(context, repairIntegrityAlert, { params });
    if (flags.from === undefined || first.damaged.length === 0) return first;
    const found = await findInBackup(flags.from, first);
    for (const bytes of found)
      await callLong(context, repairChunk, {
        params: { ...params, index: bytes.chunk.index },
        query: { form: bytes.form },
        bytes: { size: bytes.end - bytes.start, read: () => readBytes(bytes) },
      });
    if (found.length === 0) return first;
    const last = await callLong(context, repairIntegrityAlert, { params });
    return { ...last, healedChunks: first.healedChunks + found.length + last.healedChunks };
  },
  ending: ({ damaged }) => (damaged.length > 0 ? 'refused' : 'ok'),
  text: repairText,
  note: ({ damaged, alert }) =>
    damaged.length === 0
      ? ''
      : `still damaged; give a backup to search: recordproof admin integrity repair ${alert.id} --from <folder>`,
});

export const watch = command({
  summary: 'Watch the alerts that are not resolved',
  description:
    'On a terminal a screen: j and k choose an alert, a acknowledges it, q leaves. Elsewhere the list whenever it has changed, with --json one JSON document each. An outage of the server is waited out.',
  examples: [
    { command: 'admin integrity watch', description: 'Alerts that need attention' },
    { command: 'admin integrity watch --json >> alerts.ndjson', description: 'For another program' },
  ],
  flags: { every: everyFlag(5) },
  writesAsItGoes: true,
  async run({ flags, context }) {
    const client = await context.session();
    return watchChanges(context, flags, {
      read: readOpenAlerts(client),
      toText: open => [countsText(open), ...alertLines(open.alerts)].join('\n'),
      async onScreen(everyMs) {
        const { watchOnScreen } = await import('./watch-screen.ts');
        return watchOnScreen({ client, waits: context.waits, everyMs });
      },
    });
  },
});
