import type { Delivery } from '@portico/contract/notifications'
import { Button, Group, Stack, Text } from '@mantine/core'
import IconSend from '#icons/IconSend'
import { formatDate, formatDuration } from '#lib/formats.ts'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'

type DeliveryListProps = {
  deliveries: readonly Delivery[]
  isBusy: boolean
  /** Null where nothing can be sent again. */
  onResend: ((delivery: Delivery) => void) | null
}

/** Every attempt to notify of a job or to deliver its file, and a button to retry. */
export function DeliveryList({ deliveries, isBusy, onResend }: DeliveryListProps) {
  return (
    <Stack gap={8}>
      {deliveries.map((delivery) => (
        <div key={delivery._id}>
          <Group gap="xs">
            <StatusBadge status={delivery.status} />
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {delivery.target}
            </Text>
            {onResend && (
              <Button
                variant="default"
                size="compact-xs"
                leftSection={<IconSend size={13} aria-hidden />}
                loading={isBusy}
                onClick={() => onResend(delivery)}
              >
                {`Resend to ${delivery.target}`}
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
