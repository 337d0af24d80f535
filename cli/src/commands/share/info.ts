import { getShareInfo } from '@recordproof/shared/api/shares.ts';
import { command } from '../../command.ts';
import { toMinute, toTable } from '../../output.ts';
import { openAt, openCaller, parseShare, shareArgument } from '../../shares/share-argument.ts';
import { typeName } from '../../shares/share-table.ts';
import { toSize } from '../../transfer/units.ts';

export default command({
  summary: 'Show what a share holds, without opening it',
  description: 'Needs no account. The files of a share with a password are not told before it.',
  examples: [{ command: 'share info https://proof.example.org/s/7gK2mQ9xTb4R', description: 'By its link' }],
  args: { share: shareArgument },
  async run({ args, program }) {
    const named = parseShare(args.share);
    const { client } = await openCaller(await openAt(program, named), false);
    return client.call(getShareInfo, { params: { code: named.code } });
  },
  text: info =>
    toTable([
      ['share', info.shareCode],
      ['type', typeName(info.shareType)],
      ['password', info.hasPassword ? 'yes' : 'no'],
      ['expires', `${toMinute(info.expireTime)} UTC`],
      ...info.files.map(file => ['file', `${file.fileName} (${toSize(file.fileSize)})`]),
    ]),
  note: info =>
    info.files.length > 0 ? '' : 'What it holds is shown to whoever may open it: recordproof share get <share>',
});
