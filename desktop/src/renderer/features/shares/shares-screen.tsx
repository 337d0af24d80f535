// Shares screen: links, drop links, shares from friends, shares to friends.
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useTitle, useWords } from '../../context.ts';
import { toHref, useRoute } from '../../router.ts';
import { useBadge } from '../../ui/badges.tsx';
import { ScreenHead, Tabs } from '../../ui/panes.tsx';
import { CreateDropButton, DropLinks } from '../drop-links/drop-links.tsx';
import { ReceivedShares } from '../friend-shares/received-shares.tsx';
import { SentShares } from '../friend-shares/sent-shares.tsx';
import { LinkShares } from './link-shares.tsx';

export function SharesScreen() {
  const title = useTitle();
  const { links } = useWords(socialWords);
  const drops = useWords(dropLinkWords);
  const [created, setCreated] = useState(0);
  const badge = useBadge();
  const [part = '', id = ''] = useRoute().rest.split('/');
  const at = part === 'received' || part === 'sent' || part === 'requests' ? part : 'links';
  const tabs = [
    { href: toHref('shares'), text: links.tabLinks, isHere: at === 'links' },
    { href: toHref('shares/requests'), text: drops.tab, isHere: at === 'requests' },
    { href: toHref('shares/received'), text: links.tabReceived, isHere: at === 'received', count: badge.count },
    { href: toHref('shares/sent'), text: links.tabSent, isHere: at === 'sent' },
  ];
  return (
    <>
      <ScreenHead>
        <div className="actions">
          {at === 'requests' && <CreateDropButton onCreated={() => setCreated(created + 1)} />}
          <a className="button plain" href={toHref('share')}>
            {links.openLink}
          </a>
        </div>
      </ScreenHead>
      <Tabs label={title} tabs={tabs} />
      {at === 'links' && <LinkShares />}
      {at === 'requests' && <DropLinks key={created} />}
      {at === 'received' && <ReceivedShares id={id} />}
      {at === 'sent' && <SentShares id={id} />}
    </>
  );
}
