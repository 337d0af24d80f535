// Status of a ticket: its chip, and the actions of its author and of administrators that change it.
import {
  assignTicket,
  type Ticket,
  type TicketStatus,
  ticketStatus,
  updateAnyTicketStatus,
  updateTicketStatus,
} from '@recordproof/shared/api/tickets.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { ticketAdminTexts } from '@recordproof/shared/words/app-ticket-admin.ts';
import { useAccount, useBridge, useWords } from '../../context.ts';
import { ActButton } from '../../ui/buttons.tsx';

const { PENDING, PROCESSING, CONFIRMING, COMPLETED, CLOSED } = ticketStatus;

type Step<Word> = { readonly to: TicketStatus; readonly word: Word };
type Steps<Word> = Readonly<Record<TicketStatus, readonly Step<Word>[]>>;

const close = { to: CLOSED, word: 'close' } as const;

const ownSteps: Steps<'confirm' | 'reopen' | 'close'> = {
  [PENDING]: [close],
  [PROCESSING]: [close],
  [CONFIRMING]: [
    { to: COMPLETED, word: 'confirm' },
    { to: PROCESSING, word: 'reopen' },
  ],
  [COMPLETED]: [close],
  [CLOSED]: [],
};

const answeringSteps: Steps<'ask' | 'solved' | 'goOn' | 'close'> = {
  [PENDING]: [close],
  [PROCESSING]: [{ to: CONFIRMING, word: 'ask' }, close],
  [CONFIRMING]: [
    { to: COMPLETED, word: 'solved' },
    { to: PROCESSING, word: 'goOn' },
  ],
  [COMPLETED]: [close],
  [CLOSED]: [],
};

type ActionsProps = { readonly ticket: Ticket; readonly onChanged: () => void };

export function TicketActions({ ticket: { id, ticketNo, status }, onChanged }: ActionsProps) {
  const { help: texts } = useWords(socialWords);
  const { call } = useBridge();
  return ownSteps[status].map(({ to, word }) => {
    const move = () => call(updateTicketStatus, { params: { id }, body: { status: to } }).then(onChanged);
    return <ActButton key={word} label={texts[word]} of={ticketNo} variant="plain" act={move} />;
  });
}

export function AnsweringActions({ ticket: { id, ticketNo, status }, onChanged }: ActionsProps) {
  const texts = useWords(ticketAdminTexts);
  const { call } = useBridge();
  const { externalId: assigneeId } = useAccount();
  const take = () => call(assignTicket, { params: { id }, body: { assigneeId } }).then(onChanged);
  return (
    <>
      {(status === PENDING || status === PROCESSING) && <ActButton label={texts.take} of={ticketNo} act={take} />}
      {answeringSteps[status].map(({ to, word }) => {
        const move = () => call(updateAnyTicketStatus, { params: { id }, body: { status: to } }).then(onChanged);
        return <ActButton key={word} label={texts[word]} of={ticketNo} variant="plain" act={move} />;
      })}
    </>
  );
}

const tones = {
  [ticketStatus.PENDING]: 'open',
  [ticketStatus.PROCESSING]: 'open',
  [ticketStatus.CONFIRMING]: 'bad',
  [ticketStatus.COMPLETED]: 'good',
  [ticketStatus.CLOSED]: '',
} as const;

type Shown = {
  readonly status: TicketStatus;
  /** Whether the reader answers tickets: the label depends on whose turn it is. */
  readonly answers: boolean;
};

export function StatusChip({ status, answers }: Shown) {
  const { help } = useWords(socialWords);
  const { asksOther } = useWords(ticketAdminTexts);
  const isAsked = answers && status === ticketStatus.CONFIRMING;
  return (
    <span className={`chip ${isAsked ? 'open' : tones[status]}`}>{isAsked ? asksOther : help.status[status]}</span>
  );
}
