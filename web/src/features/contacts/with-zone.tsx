import { zoneNote } from '#domain/charts'

/** What is said of some contacts or events, and whose time their dates are, if they have any. */
export function WithZone({ hasDates, children }: { hasDates: boolean; children: string }) {
  const note = hasDates && zoneNote()
  return (
    <>
      <span>{children}</span>
      {note && ` · ${note}`}
    </>
  )
}
