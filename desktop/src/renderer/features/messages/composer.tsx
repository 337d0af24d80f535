// Composer of a message.

import { maxMessage, sendMessage } from '@recordproof/shared/api/messages.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { type KeyboardEvent, useRef } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { useDraft } from '../../ui/drafts.ts';
import { Form } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

type Composing = { readonly personId: string; readonly name: string; readonly onSent: () => void };

/** Enter sends; Shift+Enter is a new line. During input of a composed character neither. */
const isSend = ({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean =>
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing;

export function Composer({ personId, name, onSent }: Composing) {
  const { talk: texts } = useWords(socialWords);
  const { call } = useBridge();
  const [text, setText] = useDraft(`message-${personId}`, '');
  const area = useRef<HTMLTextAreaElement>(null);
  const { run, isBusy, error } = useAction(async () => {
    if (text.trim() === '') return;
    await call(sendMessage, { body: { receiverId: personId, content: text } });
    setText('');
    area.current?.focus();
    onSent();
  });
  return (
    <Form onSend={run} className="composer">
      <Problem error={error} />
      <textarea
        ref={area}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={event => {
          if (!isSend(event)) return;
          event.preventDefault();
          void run();
        }}
        aria-label={texts.writeTo(name)}
        placeholder={texts.placeholder}
        maxLength={maxMessage}
        rows={2}
        dir="auto"
      />
      <button type="submit" disabled={isBusy || text.trim() === ''}>
        {texts.send}
      </button>
    </Form>
  );
}
