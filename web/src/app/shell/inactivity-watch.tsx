import { useEffect } from 'react'
import { useInactivity } from '#lib/session/inactivity.ts'
import { signOut } from '#lib/session/session.ts'
import { useOnDemand } from './palette/on-demand.ts'

/** Signs users out after `minutes` of inactivity, and asks two minutes before. */
export function InactivityWatch({ minutes }: { minutes: number }) {
  const { endsAt, stay } = useInactivity(minutes)
  const { Part: Dialog, ask } = useOnDemand(async () => (await import('./inactivity-dialog.tsx')).InactivityDialog)
  const isWarned = endsAt !== null
  useEffect(() => {
    if (isWarned) ask()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `ask` is another function every time; asked once is enough
  }, [isWarned])
  if (endsAt === null || !Dialog) return null
  return <Dialog endsAt={endsAt} minutes={minutes} onStay={stay} onLogOut={() => void signOut()} />
}
