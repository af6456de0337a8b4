import { Button, Group, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import IconRefresh from '#icons/IconRefresh'
import { timeOf } from './calendar-days.ts'

const quarterMs = 15 * 60_000

/** The next quarter of an hour after a moment, in ms. Offsets of time zones are whole quarters. */
const nextQuarter = (moment: number): number => (Math.floor(moment / quarterMs) + 1) * quarterMs

type QuarterRefreshProps = { onRefresh: () => Promise<unknown> }

/** REFRESH, disabled until the next quarter of an hour after the last load (specification 1 §9). */
export function QuarterRefresh({ onRefresh }: QuarterRefreshProps) {
  const [readyAt, setReadyAt] = useState(() => nextQuarter(Date.now()))
  const [isBusy, setBusy] = useState(false)
  const isReady = useReached(readyAt)
  const refresh = async (): Promise<void> => {
    setBusy(true)
    await onRefresh()
    setBusy(false)
    setReadyAt(nextQuarter(Date.now()))
  }
  return (
    <Group gap="xs" wrap="nowrap">
      {!isReady && (
        <Text size="xs" c="dimmed">
          Next refresh at {timeOf(new Date(readyAt).toISOString())}
        </Text>
      )}
      <Button
        variant="default"
        leftSection={<IconRefresh size={15} aria-hidden />}
        loading={isBusy}
        disabled={!isReady}
        onClick={() => void refresh()}
      >
        REFRESH
      </Button>
    </Group>
  )
}

/** Whether a moment (ms) is past; true from that moment on. */
function useReached(moment: number): boolean {
  const [reached, setReached] = useState(0)
  useEffect(() => {
    const timer = window.setTimeout(() => setReached(moment), moment - Date.now())
    return () => window.clearTimeout(timer)
  }, [moment])
  return reached === moment
}
