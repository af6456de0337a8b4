import { Button } from '@mantine/core'
import { useCallback, useSyncExternalStore } from 'react'
import IconRefresh from '#icons/IconRefresh'

type RefreshButtonProps = {
  onRefresh: () => void
  /** When the shown data was last loaded by opening the screen or by this button, in milliseconds; 0 = never. */
  loadedAt: number
  /** How long after a load the button stays locked. */
  lockSeconds: number
  isLoading?: boolean
}

/** REFRESH: locked after each load, with the remaining seconds. */
export function RefreshButton({ onRefresh, loadedAt, lockSeconds, isLoading = false }: RefreshButtonProps) {
  const left = useSecondsLeft(loadedAt + lockSeconds * 1000)
  return (
    <Button
      variant="default"
      miw={112}
      leftSection={<IconRefresh size={15} aria-hidden />}
      onClick={onRefresh}
      loading={isLoading}
      disabled={left > 0}
    >
      {left > 0 ? `in ${left} sec` : 'REFRESH'}
    </Button>
  )
}

/** Whole seconds until a moment, counting down to 0. */
function useSecondsLeft(until: number): number {
  const onTick = useCallback(
    (tick: () => void) => {
      const timer = window.setInterval(() => {
        tick()
        if (secondsLeft(until) === 0) window.clearInterval(timer)
      }, 200)
      return () => window.clearInterval(timer)
    },
    [until],
  )
  return useSyncExternalStore(onTick, () => secondsLeft(until))
}

const secondsLeft = (until: number): number => Math.max(0, Math.ceil((until - Date.now()) / 1000))
