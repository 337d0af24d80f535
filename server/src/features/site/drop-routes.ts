// Routes of the drop-link page. Its script uses the API of senders.
import { getDropPage } from '@recordproof/shared/api/drop-senders.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { once } from '@recordproof/shared/once.ts';
import { chooseLanguage } from '@recordproof/shared/words/words.ts';
import { plainRoute, type Route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { version } from '../../version.ts';
import { findEntrance, toInfo } from '../drop-links/index.ts';
import { toVisitAnswer } from './layout.ts';

export function dropRoutes(server: Server): Route[] {
  const script = once(async () => (await import('./pages.ts')).makeDropScript());
  return [
    plainRoute(getDropPage, async r => {
      const { code } = r.params;
      const entered = await findEntrance(server, r, code).catch(error => {
        if (error instanceof ApiError && error.kind === 'DROP_LINK_NOT_FOUND') return null;
        throw error;
      });
      const info = entered === null ? null : toInfo(entered, server.clock.now(), server.config.uploads.maxFileBytes);
      const { renderDropPage } = await import('./drop-page.ts');
      const language = chooseLanguage(r.headers['accept-language']);
      const page = renderDropPage(info, { language, code, version, script: await script() });
      return toVisitAnswer(page, info === null ? 404 : 200);
    }),
  ];
}
