import { zoneNote } from '#domain/charts'

/** A text about contacts or events, with the time zone of their dates if they have any. */
export function WithZone({ hasDates, children }: { hasDates: boolean; children: string }) {
  const note = hasDates && zoneNote()
  return (
    <>
      <span>{children}</span>
      {note && ` · ${note}`}
    </>
  )
}
