import type { NewEvent } from '#contacts'
import { type Random, seeded } from './random.ts'
import type { Segment } from './segments.ts'
import { devices, type Site, sites, type SiteName } from './site.ts'

/** Where and when the behaviour of contacts is recorded. */
export type Scene = {
  /** Different scenes see different behaviour. */
  seed: string
  site: SiteName
  /** What dates are counted back from. */
  asOf: Date
  /** Hours that the clocks of most contacts are ahead of UTC. */
  utcOffset: number
}

/**
 * What one contact did during the last 120 days: a few visits, most of which begin with a mail. Nothing for those who
 * take no part. Always the same, with the same ids, for the same contact and scene.
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

// Kept free for documentation (RFC 5737): addresses of no one.
const networks = ['192.0.2', '198.51.100', '203.0.113']

function makeVisitor(random: Random): Visitor {
  const { browser, os } = random.pickWeighted(devices)
  return { browser, os, ip: `${random.pick(networks)}.${random.between(1, 254)}` }
}

/** The steps of a visit: perhaps a mail, pages with clicks on them, and now and then a form. */
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

// How much happens in each hour of the day: little at night, most at noon and in the evening.
const hours = [1, 1, 1, 1, 1, 2, 4, 7, 9, 10, 10, 11, 13, 11, 9, 9, 10, 11, 12, 14, 15, 12, 7, 3].map(
  (weight, hour) => ({ hour, weight }),
)

/** Milliseconds; within the last 120 days, more often of late, and when people are awake. */
function visitStart(random: Random, { asOf, utcOffset }: Scene): number {
  const daysAgo = 1 + Math.floor(119 * random.next() ** 1.4)
  const midnight = Math.floor(asOf.getTime() / dayMs) * dayMs - daysAgo * dayMs
  const { hour } = random.pickWeighted(hours)
  return midnight + (hour - utcOffset) * 3600_000 + random.between(0, 3_599_999)
}

/** A UUID of version 8 (RFC 9562): its bits come from the seed. */
function makeUuid(random: Random): string {
  const hex = Array.from({ length: 4 }, () => random.between(0, 0xffffffff).toString(16).padStart(8, '0')).join('')
  const variant = '89ab'[random.between(0, 3)]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}
