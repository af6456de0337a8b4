import type { Delivery } from '@portico/contract/notifications'
import { Button, Group, Stack, Text } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import IconSend from '#icons/IconSend'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate, formatDuration } from '#lib/formats.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'

type DeliveryListProps = {
  /** `resendTarget`: the target when the delivery is sent again, if it may differ; null if it can no longer be sent. */
  deliveries: readonly (Delivery & { resendTarget?: string | null })[]
  /** The mutation that sends a delivery again, by its id; null if none can be. */
  resend: Pick<UseMutationResult<unknown, Error, string>, 'isPending' | 'mutate'> | null
}

/** Every attempt to report a job's end or deliver its file, and a button to retry. */
export function DeliveryList({ deliveries, resend }: DeliveryListProps) {
  return (
    <Stack gap={8}>
      {deliveries.map((delivery) => (
        <div key={delivery._id}>
          <Group gap="xs">
            <StatusBadge status={delivery.status} />
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {delivery.target}
            </Text>
            {resend && delivery.resendTarget === null && (
              <Text size="xs" c="dimmed">
                Its cron has no such delivery any more.
              </Text>
            )}
            {resend && delivery.resendTarget !== null && (
              <Button
                variant="default"
                size="compact-xs"
                leftSection={<IconSend size={13} aria-hidden />}
                loading={resend.isPending}
                onClick={() =>
                  resend.mutate(delivery._id, {
                    onSuccess: () => notifyDone(`Sent to ${targetNow(delivery)} again.`),
                    onError: (error) => notifyError(messageOf(error)),
                  })
                }
              >
                {`Resend to ${targetNow(delivery)}`}
              </Button>
            )}
          </Group>
          {delivery.attempts.map(({ at, durationMs, result }) => (
            <Text key={at} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {`${formatDate(at)} (${formatDuration(durationMs)}): ${result}`}
            </Text>
          ))}
          {delivery.nextAttemptAt && <Text size="xs">{`Next attempt ${formatDate(delivery.nextAttemptAt)}`}</Text>}
        </div>
      ))}
    </Stack>
  )
}

const targetNow = ({ target, resendTarget }: DeliveryListProps['deliveries'][number]): string => resendTarget ?? target
