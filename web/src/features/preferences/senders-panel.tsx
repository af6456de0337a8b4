import type { Sender } from '@portico/contract/senders'
import { Badge, Button, Group, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import IconMail from '#icons/IconMail'
import { useSenders } from '#domain/senders'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import { useSubmit } from '#lib/submit.ts'
import { useLocalTable } from '#lib/table/local-table.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { Panel } from '#ui/page/panel.tsx'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { useRemoveSender, useRequestSender } from './senders-queries.ts'

/** Addresses that notifications and reports of the account can come from. */
export function SendersPanel() {
  const senders = useSenders()
  const table = useLocalTable(senders.data?.senders)
  const request = useRequestSender()
  const [removing, setRemoving] = useState<Sender | null>(null)
  const again = ({ address }: Sender): void =>
    request.mutate(address, {
      onSuccess: () => notifyDone(`Another email was sent to ${address}.`),
      onError: (error) => notifyError(messageOf(error)),
    })
  return (
    <Panel
      title="Senders"
      description="Addresses that notifications and reports can come from. The owner of each mailbox confirms by email."
    >
      <SenderForm />
      {senders.data && <AlwaysAllowed ownAddress={senders.data.ownAddress} domains={senders.data.domains} />}
      <DataTable<Sender>
        label="Senders"
        columns={columns({ onAgain: again, onRemove: setRemoving })}
        {...table}
        getRecordId={({ _id }) => _id}
        getRecordLabel={({ address }) => address}
        empty={
          <EmptyState icon={<IconMail size={22} />} title="No senders yet">
            Add the address that your emails should come from.
          </EmptyState>
        }
        failure={
          senders.error && !senders.data ? (
            <FailureState message={messageOf(senders.error)} onRetry={() => void senders.refetch()} />
          ) : undefined
        }
      />
      {removing && <RemoveSender sender={removing} onClose={() => setRemoving(null)} />}
    </Panel>
  )
}

function SenderForm() {
  const form = useForm({ initialValues: { address: '' } })
  const { submit, isBusy } = useSubmit(form, useRequestSender(), {
    restField: 'address',
    done: ({ address }) => {
      form.reset()
      notifyDone(`An email with a link was sent to ${address}.`)
    },
  })
  const { address } = form.values
  return (
    <form noValidate onSubmit={form.onSubmit(() => submit(address))}>
      <Group align="flex-start" gap="xs" mb="sm">
        <TextInput
          aria-label="Email of the new sender"
          placeholder="news@example.com"
          type="email"
          autoComplete="off"
          w={{ base: '100%', xs: 320 }}
          {...form.getInputProps('address')}
        />
        <Button type="submit" disabled={address.trim() === ''} loading={isBusy}>
          Verify
        </Button>
      </Group>
    </form>
  )
}

function AlwaysAllowed({ ownAddress, domains }: { ownAddress: string; domains: string[] }) {
  const others = domains.length > 0 ? ` and every address at ${domains.join(', ')}` : ''
  return (
    <Text size="sm" c="dimmed" mb="sm">
      {`Always allowed: ${ownAddress}${others}.`}
    </Text>
  )
}

type Actions = { onAgain: (sender: Sender) => void; onRemove: (sender: Sender) => void }

const columns = ({ onAgain, onRemove }: Actions): Column<Sender>[] => [
  { key: 'address', title: 'Address', isRowHeader: true, render: ({ address }) => address },
  {
    key: 'state',
    title: 'State',
    render: ({ state }) => (
      <Badge color={state === 'verified' ? 'green' : 'blue'} tt="none" miw="max-content">
        {state === 'verified' ? 'Verified' : 'Waiting'}
      </Badge>
    ),
  },
  { key: 'requestedBy', title: 'Requested by', render: ({ requestedBy }) => requestedBy },
  { key: 'requestedAt', title: 'Requested', render: ({ requestedAt }) => formatDate(requestedAt) },
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    align: 'right',
    width: 170,
    isPinned: true,
    render: (sender) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        {sender.state === 'waiting' && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Send again to ${sender.address}`}
            onClick={() => onAgain(sender)}
          >
            Send again
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          color="red"
          aria-label={`Remove ${sender.address}`}
          onClick={() => onRemove(sender)}
        >
          Remove
        </Button>
      </Group>
    ),
  },
]

function RemoveSender({ sender: { _id, address, state }, onClose }: { sender: Sender; onClose: () => void }) {
  const remove = useRemoveSender()
  return (
    <ConfirmDialog
      isOpen
      title="Remove sender"
      question={
        state === 'verified'
          ? `Emails from ${address} will fail, including those of schedules. Remove it?`
          : `The link in the email to ${address} will stop working. Remove it?`
      }
      confirmLabel="Yes, remove it"
      onConfirm={() => {
        remove.mutate(_id, { onError: (error) => notifyError(messageOf(error)) })
        onClose()
      }}
      onClose={onClose}
    />
  )
}
