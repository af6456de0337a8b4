import { Button, Group, Loader, Stack, Text, Title } from '@mantine/core'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { useDeployment, usePageTitle } from '#lib/deployment.ts'
import { useLinkSecret } from '#lib/session/link-secret.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { EntryFrame } from '#ui/page/entry-frame.tsx'
import { useConfirmSender, useSenderLink } from './senders-queries.ts'

/** `/confirm-sender#link=…`: the owner of a mailbox allows an account to send from their address. */
export function ConfirmSenderPage() {
  const { company, product } = useDeployment()
  usePageTitle('Confirm a sender')
  const link = useLinkSecret('link')
  const { data: request, error, refetch } = useSenderLink(link)
  return (
    <EntryFrame company={company} product={product}>
      {link === '' || request === null ? (
        <InvalidLink />
      ) : request ? (
        <Confirmation key={link} link={link} {...request} />
      ) : error ? (
        <FailureState message={messageOf(error)} onRetry={() => void refetch()} />
      ) : (
        <Group gap="sm">
          <Loader size="sm" aria-hidden />
          <Text component="output">Checking the link…</Text>
        </Group>
      )}
    </EntryFrame>
  )
}

type ConfirmationProps = { link: string; address: string; account: string; requestedBy: string }

function Confirmation({ link, address, account, requestedBy }: ConfirmationProps) {
  const { product } = useDeployment()
  const confirm = useConfirmSender(link)
  if (confirm.isSuccess) {
    return (
      <Stack gap="sm">
        <Title order={1} size={18}>
          Sender confirmed
        </Title>
        <Text component="output">{`${account} can now send emails from ${address}. You can close this page.`}</Text>
      </Stack>
    )
  }
  if (isApiError(confirm.error, 'link_invalid')) return <InvalidLink />
  return (
    <Stack gap="sm">
      <Title order={1} size={18}>
        Confirm a sender
      </Title>
      <FormProblem>{confirm.error && messageOf(confirm.error)}</FormProblem>
      <Text style={{ overflowWrap: 'anywhere' }}>
        {`${requestedBy} asks to send emails from ${address} in the account ${account} on ${product}.`}
      </Text>
      <Text size="sm" c="dimmed">
        Notifications and reports of this account will show your address as their sender. If you do not agree, close
        this page.
      </Text>
      <Button size="sm" mt={6} fullWidth loading={confirm.isPending} onClick={() => confirm.mutate()}>
        Allow
      </Button>
    </Stack>
  )
}

function InvalidLink() {
  return (
    <Stack gap="sm">
      <Title order={1} size={18}>
        This link is not valid
      </Title>
      <Text role="alert">It was already used, is older than 7 days, or was replaced by a newer one.</Text>
      <Text>Ask the person who requested it to send another one from Preferences.</Text>
    </Stack>
  )
}
