import { toFilePath } from '@recordproof/shared/api/files.ts';
import { getShareInfo } from '@recordproof/shared/api/shares.ts';
import { command } from '../../platform/command.ts';
import { toMinute } from '../../platform/output.ts';
import { alignRows } from '../../platform/table.ts';
import { toSize } from '../../platform/units.ts';
import { openAt, openCaller, parseShare, shareArgument } from '../share-argument.ts';
import { typeName } from '../share-table.ts';

export default command({
  summary: 'Show what a share holds, without opening it',
  description: 'Needs no account. The files of a share with a password are not told before it.',
  examples: [{ command: 'shares info https://proof.example.org/s/7gK2mQ9xTb4R', description: 'By its link' }],
  args: { share: shareArgument },
  async run({ args, context }) {
    const named = parseShare(args.share);
    const { client } = await openCaller(await openAt(context, named), false);
    return client.call(getShareInfo, { params: { code: named.code } });
  },
  text: info =>
    alignRows([
      ['share', info.shareCode],
      ['type', typeName(info.shareType)],
      ['password', info.hasPassword ? 'yes' : 'no'],
      ['expires', `${toMinute(info.expireTime)} UTC`],
      ...info.files.map(file => ['file', `${toFilePath(file)} (${toSize(file.fileSize)})`]),
    ]),
  note: info =>
    info.files.length > 0 ? '' : 'What it holds is shown to whoever may open it: recordproof shares get <share>',
});
