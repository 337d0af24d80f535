import {
  assignTicket,
  type Ticket,
  type TicketStatus,
  ticketStatus,
  updateAnyTicketStatus,
} from '@recordproof/shared/api/tickets.ts';
import { useAccount, useBridge } from '../../surroundings.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { useHelpSay } from './use-help-say.ts';

const { PENDING, PROCESSING, CONFIRMING, COMPLETED, CLOSED } = ticketStatus;
type Step = { readonly to: TicketStatus; readonly word: 'ask' | 'solved' | 'goOn' | 'close' };

const close: Step = { to: CLOSED, word: 'close' };

/** Where an administrator may take a ticket. From the first state on it is taken by somebody. */
const stepsFrom: Readonly<Record<TicketStatus, readonly Step[]>> = {
  [PENDING]: [close],
  [PROCESSING]: [{ to: CONFIRMING, word: 'ask' }, close],
  [CONFIRMING]: [
    { to: COMPLETED, word: 'solved' },
    { to: PROCESSING, word: 'goOn' },
  ],
  [COMPLETED]: [close],
  [CLOSED]: [],
};

export function AnsweringActions({ ticket, onChanged }: { readonly ticket: Ticket; readonly onChanged: () => void }) {
  const say = useHelpSay();
  const { call } = useBridge();
  const { externalId } = useAccount();
  const { id, ticketNo, status } = ticket;
  const take = async () => {
    await call(assignTicket, { params: { id }, body: { assigneeId: externalId } });
    onChanged();
  };
  const moveTo = (next: TicketStatus) => async () => {
    await call(updateAnyTicketStatus, { params: { id }, body: { status: next } });
    onChanged();
  };
  return (
    <>
      {(status === PENDING || status === PROCESSING) && <ActButton label={say.take} of={ticketNo} act={take} />}
      {stepsFrom[status].map(({ to, word }) => (
        <ActButton key={word} label={say[word]} of={ticketNo} look="plain" act={moveTo(to)} />
      ))}
    </>
  );
}
