// What a person has chosen about the program itself. A file of an older program lacks what came later.
import type { Language } from '@recordproof/shared/words/words.ts';
import { z } from 'zod';
import type { ShellSettings } from '../bridge/bridge.ts';
import type { NoticeSettings } from '../bridge/notices.ts';
import { noticeSettings } from '../ipc/shapes.ts';
import { openPrivateJson, type PrivateJson } from './private-json.ts';

export function openShellSettings(path: string, language: Language): Promise<PrivateJson<ShellSettings>> {
  const notices: NoticeSettings = { isOn: true, silent: [] };
  const first: ShellSettings = { startsWithSystem: false, notices, closesToTray: true, language };
  const shape = z.object({
    startsWithSystem: z.boolean(),
    notices: noticeSettings.default(notices),
    closesToTray: z.boolean().default(first.closesToTray),
    language: z.enum(['en', 'zh']).default(language),
  });
  return openPrivateJson({ path, shape, first });
}
