import { option, string } from '@oclif/core/flags';
import { recordId } from '@recordproof/shared/api/common.ts';
import { alertSeverities, alertStatuses, foundTypes, listIntegrityAlerts } from '@recordproof/shared/api/integrity.ts';
import { command } from '../../platform/command.ts';
import { parseField } from '../../platform/fields.ts';
import { alertPages, alertsTable } from '../tables.ts';

export default command({
  summary: 'List the alerts, the newest first',
  examples: [
    { command: 'admin integrity alerts', description: 'The newest twenty' },
    { command: 'admin integrity alerts --status PENDING --wide', description: 'What nobody looks after yet' },
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
