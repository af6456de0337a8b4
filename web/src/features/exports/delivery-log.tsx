import type { Export } from '@portico/contract/exports'
import { Button, Group, Stack, Text } from '@mantine/core'
import IconSend from '#icons/IconSend'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate, formatDuration } from '#lib/formats.ts'
import { useCan } from '#lib/session/session.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { useDeliveries, useResend } from './exports-queries.ts'

type DeliveryLogProps = {
  exportId: string
  status: Export['status']
  /** Whether changes are heard of without asking. */
  isLive: boolean
}

/** Every attempt to notify of an export or to deliver its file, and a button to retry. */
export function DeliveryLog({ exportId, status, isLive }: DeliveryLogProps) {
  const deliveries = useDeliveries(exportId, isLive)
  const resend = useResend(exportId)
  const canResend = useCan('contact-export-create') && status === 'completed'
  if (deliveries.isError) return <Text size="sm">{messageOf(deliveries.error)}</Text>
  return (
    <Stack gap={8}>
      {deliveries.data?.map(({ _id, target, status: state, attempts, nextAttemptAt }) => (
        <div key={_id}>
          <Group gap="xs">
            <StatusBadge status={state} />
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {target}
            </Text>
            {canResend && (
              <Button
                variant="default"
                size="compact-xs"
                leftSection={<IconSend size={13} aria-hidden />}
                loading={resend.isPending}
                onClick={() =>
                  resend.mutate(_id, {
                    onSuccess: () => notifyDone(`Sent to ${target} again.`),
                    onError: (error) => notifyError(messageOf(error)),
                  })
                }
              >
                {`Resend to ${target}`}
              </Button>
            )}
          </Group>
          {attempts.map(({ at, durationMs, result }) => (
            <Text key={at} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {`${formatDate(at)} (${formatDuration(durationMs)}): ${result}`}
            </Text>
          ))}
          {nextAttemptAt && <Text size="xs">{`Next attempt ${formatDate(nextAttemptAt)}`}</Text>}
        </div>
      ))}
    </Stack>
  )
}
