import { Button, Group, Modal, Text, VisuallyHidden } from '@mantine/core'
import { useEffect, useState } from 'react'
import { formatCount } from '#lib/formats.ts'
import css from './inactivity-dialog.module.css'

type InactivityDialogProps = {
  /** In ms. */
  endsAt: number
  /** Minutes without activity after which the session ends. */
  minutes: number
  onStay: () => void
  onLogOut: () => void
}

/** Screen readers announce the time at these seconds, not every second. */
const spokenAt = [120, 60, 30, 10]

/** Shows how long the session still lasts without activity. Closing it means staying. */
export function InactivityDialog({ endsAt, minutes, onStay, onLogOut }: InactivityDialogProps) {
  const left = useSecondsLeft(endsAt)
  const spoken = useSpoken(left)
  return (
    <Modal opened onClose={onStay} title="Are you still there?" size="sm" centered closeOnClickOutside={false}>
      <Text>You will be logged out in</Text>
      <div className={css['time']} role="timer" aria-label="Time left">
        {clock(left)}
      </div>
      <VisuallyHidden>
        <output>You will be logged out in {formatCount(spoken, 'second')}.</output>
      </VisuallyHidden>
      <Text size="sm" c="dimmed">
        After {formatCount(minutes, 'minute')} without a click or a key the portal logs you out.
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onLogOut}>
          Log out
        </Button>
        <Button onClick={onStay} data-autofocus>
          Stay signed in
        </Button>
      </Group>
    </Modal>
  )
}

/** The remaining seconds when the time was last announced: on opening, then as each of `spokenAt` is reached. */
function useSpoken(left: number): number {
  const step = spokenAt.filter((seconds) => left <= seconds).length
  const [spoken, setSpoken] = useState({ step, left })
  if (step > spoken.step || left > spoken.left) setSpoken({ step, left })
  return spoken.left
}

const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

function useSecondsLeft(endsAt: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil((endsAt - now) / 1000))
}
