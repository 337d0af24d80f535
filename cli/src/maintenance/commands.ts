// Commands under `admin maintenance`.
import { string as argument } from '@oclif/core/args';
import {
  getMaintenance,
  type Maintenance,
  maintenanceMessage,
  setMaintenance,
} from '@recordproof/shared/api/maintenance.ts';
import { listTenants } from '@recordproof/shared/api/tenants.ts';
import { command } from '../platform/command.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { parseField } from '../platform/fields.ts';
import { printable, toMinute } from '../platform/output.ts';

const stateText = ({ isOn, message, since }: Maintenance): string =>
  isOn ? `maintenance is on since ${toMinute(since ?? '')} UTC: ${printable(message ?? '')}` : 'maintenance is off';

export const status = command({
  summary: 'Show whether the server is in maintenance',
  examples: [{ command: 'admin maintenance status', description: 'The message, and since when' }],
  run: async ({ context }) => (await context.anonymous()).call(getMaintenance),
  text: stateText,
});

export const on = command({
  summary: 'Reject every change on all servers, with a message for the users',
  description:
    'Signing in, reading and downloading stay possible. Changes are answered with 503 and the message. Requests and jobs that have started are finished; other jobs that change data wait. For installation administrators.',
  examples: [
    { command: 'admin maintenance on "Storage is being moved; back at 18:00 UTC."', description: 'Asks first' },
    { command: 'admin maintenance on "Back soon." --yes', description: 'For scripts: does not ask' },
  ],
  args: { message: argument({ required: true, description: 'What users are told.' }) },
  flags: { yes: yesFlag },
  async run({ flags, args, context }) {
    const message = parseField('Message', maintenanceMessage, args.message);
    const client = await context.session();
    if (!flags.yes) {
      const { total } = await client.call(listTenants, { query: { size: 1 } }); // accounts without the permission are rejected before the question
      const tenants = total === 1 ? '1 tenant' : `all ${total} tenants`;
      await confirm(context, `Reject every change of ${tenants}, on all servers?`, 'maintenance was not switched on');
    }
    return client.call(setMaintenance, { body: { isOn: true, message } });
  },
  text: stateText,
});

export const off = command({
  summary: 'End maintenance: changes are taken again',
  examples: [{ command: 'admin maintenance off', description: 'On all servers at once' }],
  run: async ({ context }) => (await context.session()).call(setMaintenance, { body: { isOn: false } }),
  text: stateText,
});
