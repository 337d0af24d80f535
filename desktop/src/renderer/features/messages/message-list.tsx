// Messages of a conversation, with their pictures.
import type { Message } from '@recordproof/shared/api/messages.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useEffect, useRef } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { BytesImage } from '../../ui/bytes-image.tsx';
import { useLoad } from '../../ui/hooks.ts';

type Listing = {
  readonly written: { readonly messages: readonly Message[]; readonly hasMore: boolean };
  /** External id of the reader. */
  readonly me: string;
  readonly onOlder: () => void;
};

/** Stays scrolled to its end when messages arrive. */
export function MessageList({ written: { messages, hasMore }, me, onOlder }: Listing) {
  const { talk: texts } = useWords(socialWords);
  const language = useLanguage();
  const end = useRef<HTMLDivElement>(null);
  const newest = messages[0]?.id;
  const goToEnd = () => end.current?.scrollIntoView({ block: 'end' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest message is what it moves for
  useEffect(() => {
    goToEnd();
  }, [newest]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <div className="scroll talk" role="log" aria-label={texts.written} tabIndex={0}>
      {hasMore && <Button label={texts.older} variant="plain" onClick={onOlder} />}
      <ol>
        {messages.toReversed().map(message => (
          <li key={message.id} className={message.senderId === me ? 'mine' : 'theirs'}>
            <div className="said" dir="auto">
              {message.contentType === 'text' && message.content}
              {message.contentType === 'image' && (
                <MessagePicture path={message.content} onShown={() => message.id === newest && goToEnd()} />
              )}
              {message.contentType === 'file' && <em>{texts.file(toShownName(message.fileName ?? ''))}</em>}
            </div>
            <time className="quiet number">{formatTime(message.createdAt, language)}</time>
          </li>
        ))}
      </ol>
      <div ref={end} />
    </div>
  );
}

/** A missing file, or one that is not an image, gets a text instead. */
function MessagePicture({ path, onShown }: { readonly path: string; readonly onShown: () => void }) {
  const { talk } = useWords(socialWords);
  const { loading } = useTexts();
  const { downloads } = useBridge();
  const { state } = useLoad(path, signal => downloads.readPicture(path, signal));
  const otherwise = <em>{talk.imageHere}</em>;
  if (state.kind === 'loading') return <em>{loading}</em>;
  if (state.kind === 'failed') return otherwise;
  return <BytesImage {...state.value} name={talk.image} otherwise={otherwise} onShown={onShown} />;
}
