import type { Portal } from './portal.ts'
import type { Reference } from './reference.ts'
import type { Measurement } from './report.ts'

type Search = { work: string; find?: object; sort?: object; sql: string; indexed?: boolean }

/** Searches as the contacts screen makes them: count and first page, beside the same in hand-written SQL. */
export async function benchSearch(portal: Portal, reference: Reference): Promise<Measurement[]> {
  const contacts = `account_${portal.account}.contacts`
  const keys = `account_${portal.account}.contact_keys`
  const fields = await portal.get<{ name: string }[]>('/contact-service/v1/fields')
  const column = (name: string) => `c${fields.findIndex((field) => field.name === name) + 1}`
  const [known] = await portal.get<{ basePurl: string }[]>('/contact-service/v1/offers?limit=1')
  const base = known?.basePurl ?? ''
  const searches: Search[] = [
    { work: 'first page of all', sql: `SELECT * FROM ${contacts} ORDER BY id LIMIT 5` },
    {
      work: 'by PURL (indexed)',
      find: { basePurl: base },
      sql: `SELECT * FROM ${contacts} JOIN ${keys} USING (id) WHERE base_purl = '${base}' ORDER BY id LIMIT 5`,
      indexed: true,
    },
    {
      work: 'number above (no index)',
      find: { Age: { $gt: 80 } },
      sql: `SELECT * FROM ${contacts} WHERE ${column('Age')} > 80 ORDER BY id LIMIT 5`,
    },
    {
      work: 'text contains (no index)',
      find: { Email: { $regex: 'bert\\.99' } },
      sql: `SELECT * FROM ${contacts} WHERE ${column('Email')} LIKE '%bert.99%' ORDER BY id LIMIT 5`,
    },
    {
      work: 'sorted by a number (no index)',
      sort: { Score: -1 },
      sql: `SELECT * FROM ${contacts} ORDER BY ${column('Score')} DESC NULLS LAST, id LIMIT 5`,
    },
  ]
  const measurements: Measurement[] = []
  for (const search of searches) measurements.push(await measureSearch(portal, reference, search))
  return measurements
}

async function measureSearch(portal: Portal, reference: Reference, search: Search): Promise<Measurement> {
  const find = search.find ? `&find=${encodeURIComponent(JSON.stringify([{ $match: search.find }]))}` : ''
  const sort = search.sort ? `&sort=${encodeURIComponent(JSON.stringify(search.sort))}` : ''
  const count = search.sql.replace(/^SELECT \* /, 'SELECT count(*) ').replace(/ ORDER BY .*$/, '')
  let best = Infinity
  for (let time = 0; time < 5; time++) {
    const start = performance.now()
    await portal.get(`/contact-service/v1/offers?count=1${find}`)
    await portal.get(`/contact-service/v1/offers?limit=5${find}${sort}`)
    best = Math.min(best, performance.now() - start)
  }
  const milliseconds = (await reference.query(search.sql)) + (await reference.query(count))
  return {
    work: `search: ${search.work}`,
    milliseconds: best,
    reference: { name: 'SQL', milliseconds },
    ...(search.indexed && { target: { ratio: 1.2, plus: 3 } }),
  }
}
