import { Button, NativeSelect, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import IconMinimize from '#icons/IconMinimize'
import { lastActivityAt, noteActivity } from '#lib/session/last-activity.ts'
import { useUser } from '#lib/session/session.ts'
import css from './stage.module.css'

const choices = [
  { value: '0', label: 'Do not refresh' },
  { value: '1', label: 'Refresh every minute' },
  { value: '5', label: 'Refresh every 5 minutes' },
  { value: '15', label: 'Refresh every 15 minutes' },
  { value: '60', label: 'Refresh every hour' },
]

/** Name and settings of a full-screen dashboard. Refreshing counts as activity only if the account says so. */
export function FullScreenBar({ name, onEnd }: { name: string; onEnd: () => void }) {
  const [minutes, setMinutes] = useState('5')
  const readAt = useRefresh(Number(minutes))
  useEscape(onEnd)
  return (
    <header className={css['bar']}>
      <Title order={2} className={css['name'] ?? ''}>
        {name}
      </Title>
      <Text size="sm" c="dimmed">{`As of ${clock(readAt)} · ${useSignOut(minutes !== '0')}`}</Text>
      <NativeSelect
        size="xs"
        aria-label="Refresh"
        data={choices}
        value={minutes}
        onChange={(event) => setMinutes(event.currentTarget.value)}
      />
      <Button variant="default" leftSection={<IconMinimize size={15} aria-hidden />} onClick={onEnd}>
        Exit full screen
      </Button>
    </header>
  )
}

const minuteMs = 60_000
/** Maximum duration of a session, in hours. */
const longestHours = 12
const clock = (at: number): string => new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Reloads all cells every `minutes` (0: never) while the tab is visible. Returns the time of the last reload. */
function useRefresh(minutes: number): number {
  const client = useQueryClient()
  const { fullScreenIsActivity: isActivity = false } = useUser().preferences
  const [readAt, setReadAt] = useState(() => Date.now())
  useEffect(() => {
    if (minutes === 0) return undefined
    const timer = window.setInterval(() => {
      if (document.visibilityState === 'hidden') return
      if (isActivity) noteActivity()
      void client.invalidateQueries({ queryKey: ['dashboards', 'cell'] })
      setReadAt(Date.now())
    }, minutes * minuteMs)
    return () => window.clearInterval(timer)
  }, [client, minutes, isActivity])
  return readAt
}

/** When the user is signed out without further activity. Kept up to date. */
function useSignOut(isRefreshing: boolean): string {
  const { timeout, fullScreenIsActivity = false } = useUser().preferences
  const [, setNow] = useState(0)
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), minuteMs / 4)
    return () => window.clearInterval(timer)
  }, [])
  if (fullScreenIsActivity && isRefreshing) return `sign-out ${longestHours} hours after you signed in`
  const last = lastActivityAt()
  return last === null
    ? `sign-out after ${timeout} minutes`
    : `sign-out at ${clock(last + timeout * minuteMs)} without activity`
}

/** Handles Escape where the browser does not use it for its own full screen. */
function useEscape(onEnd: () => void): void {
  useEffect(() => {
    const onKey = ({ key, defaultPrevented, target }: KeyboardEvent): void => {
      const isInDialog = target instanceof Element && target.closest('[role=dialog], [role=menu]') !== null
      if (key === 'Escape' && !defaultPrevented && !isInDialog) onEnd()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [onEnd])
}
