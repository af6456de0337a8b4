/** A city of the demo. */
export type City = {
  name: string
  state: string
  country: string
  latitude: number
  longitude: number
  /** Formats of phone numbers; each `#` is a random digit. */
  phones: readonly string[]
  zips: readonly string[]
  /** Share of people, relative to the other cities. */
  weight: number
}
