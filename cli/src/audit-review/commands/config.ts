import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import {
  type AuditConfigKey,
  auditConfigKeys,
  listAuditConfigs,
  putAuditConfig,
} from '@recordproof/shared/api/audit-review.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { Fixable } from '../../platform/fixable.ts';
import { configsText } from '../tables.ts';

function toKey(text: string): AuditConfigKey {
  const key = auditConfigKeys.find(one => one === text.toUpperCase().replaceAll('-', '_'));
  if (key === undefined)
    throw new Fixable('usage', `there is no setting ${text}`, { try: `one of ${auditConfigKeys.join(', ')}` });
  return key;
}

export default command({
  summary: 'Show what counts as sensitive or unusual, or change it',
  examples: [
    { command: 'admin audit config', description: 'All settings' },
    { command: 'admin audit config HIGH_FREQ_THRESHOLD 200', description: 'Change one; asks before it does' },
  ],
  args: {
    setting: string({ description: 'Which one; without a value it is shown.' }),
    value: string({ description: 'What it shall be.' }),
  },
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const configs = await client.call(listAuditConfigs);
    if (args.setting === undefined) return configs;
    const configKey = toKey(args.setting);
    const shown = configs.filter(config => config.configKey === configKey);
    if (args.value === undefined) return shown;
    if (!flags.yes)
      await confirm(context, `${configKey} is ${shown[0]?.configValue}. Make it ${args.value}?`, 'nothing was changed');
    const changed = await client.call(putAuditConfig, { body: { configKey, configValue: args.value } });
    return changed.filter(config => config.configKey === configKey);
  },
  text: configsText,
});
