import type { NewEvent } from '#contacts'
import { type Random, seeded } from './random.ts'
import type { Segment } from './segments.ts'
import { devices, type Site, sites, type SiteName } from './site.ts'

/** The setting of generated behavior: site, dates and seed. */
export type Scene = {
  /** Different seeds give different behavior. */
  seed: string
  site: SiteName
  /** All dates are before this one. */
  asOf: Date
  /** Offset of most contacts' time zone from UTC, in hours. */
  utcOffset: number
}

/**
 * Generates the events of one contact in the last 120 days: a few visits, most of which begin with an email. Inactive
 * contacts have none. The same contact and scene always give the same events with the same ids.
 */
export function* behaviourOf(contactId: string, segment: Segment, scene: Scene): Generator<NewEvent> {
  const random = seeded(`${scene.seed} behaviour of ${contactId}`)
  if (!random.chance(segment.isActive)) return
  let left = random.between(...segment.events)
  const visitor = makeVisitor(random)
  while (left > 0) {
    // A visit that starts shortly before `asOf` must not end after it.
    let at = Math.min(visitStart(random, scene), scene.asOf.getTime() - 3600_000)
    for (const step of makeVisit(random, sites[scene.site]).slice(0, left)) {
      left--
      yield { id: makeUuid(random), contactId, date: new Date(at), pdid: null, ...visitor, ...step }
      at += random.between(4, 150) * 1000
    }
  }
}

type Visitor = Pick<NewEvent, 'browser' | 'os' | 'ip'>
type Step = Pick<NewEvent, 'appCode' | 'code' | 'path' | 'element' | 'isTrigger'>

// Reserved for documentation (RFC 5737), so these addresses have no owner.
const networks = ['192.0.2', '198.51.100', '203.0.113']

function makeVisitor(random: Random): Visitor {
  const { browser, os } = random.pickWeighted(devices)
  return { browser, os, ip: `${random.pick(networks)}.${random.between(1, 254)}` }
}

/** The steps of a visit: perhaps an email, pages with clicks, and sometimes a form. */
function makeVisit(random: Random, site: Site): Step[] {
  const steps: Step[] = []
  const mailing = random.pick(site.mailings)
  if (random.chance(0.55)) steps.push(step('email', 'email_open', `/mailings/${mailing}`, null))
  if (steps.length > 0 && random.chance(0.45)) return steps
  if (steps.length > 0) steps.push(step('email', 'email_click', `/mailings/${mailing}`, 'a.call-to-action', true))
  const pages = random.between(1, 4)
  for (let page = 0; page < pages; page++) {
    const path = random.pick(site.pages)
    steps.push(step('web', 'page_view', path, null))
    if (random.chance(0.5)) steps.push(step('web', 'click', path, random.pick(site.buttons)))
  }
  if (random.chance(0.28)) {
    const form = random.pick(site.forms)
    steps.push(step('web', 'page_view', form.path, null), step('web', 'form_submit', form.path, form.element, true))
  }
  return steps
}

function step(appCode: string, code: string, path: string, element: string | null, isTrigger = false): Step {
  return { appCode, code, path, element, isTrigger }
}

const dayMs = 24 * 3600_000

// Activity by hour of the day: little at night, most at noon and in the evening.
const hours = [1, 1, 1, 1, 1, 2, 4, 7, 9, 10, 10, 11, 13, 11, 9, 9, 10, 11, 12, 14, 15, 12, 7, 3].map(
  (weight, hour) => ({ hour, weight }),
)

/** Returns a time in ms within the last 120 days: more often recent, and during waking hours. */
function visitStart(random: Random, { asOf, utcOffset }: Scene): number {
  const daysAgo = 1 + Math.floor(119 * random.next() ** 1.4)
  const midnight = Math.floor(asOf.getTime() / dayMs) * dayMs - daysAgo * dayMs
  const { hour } = random.pickWeighted(hours)
  return midnight + (hour - utcOffset) * 3600_000 + random.between(0, 3_599_999)
}

/** Returns a UUID of version 8 (RFC 9562), with bits from the seed. */
function makeUuid(random: Random): string {
  const hex = Array.from({ length: 4 }, () => random.between(0, 0xffffffff).toString(16).padStart(8, '0')).join('')
  const variant = '89ab'[random.between(0, 3)]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}
