import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Place } from '@portico/contract/geocoding'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const pathFor = (address: Record<string, string>): string =>
  `/contact-service/v1/geocode?${new URLSearchParams({ address1: '1 Main Street', ...address }).toString()}`

const failed = (message: string) => ({ status: 422, body: { error: { code: 'geocoding_failed', message } } })

describe('with the gazetteer', () => {
  let portal: TestPortal
  let member: Member

  beforeAll(async () => {
    portal = await startPortal()
    member = await portal.member(await portal.account(), 'contact-service::offers::get')
  })
  afterAll(() => portal.close())

  const find = (address: Record<string, string>): Promise<Answer> => member.get(pathFor(address))
  const labelOf = async (address: Record<string, string>): Promise<string> => (await find(address)).json<Place>().label

  test('finds the largest city of a name, ignoring case, accents and language', async () => {
    const { body } = await find({ city: 'MÜNCHEN' })
    expect(body).toEqual({
      latitude: expect.closeTo(48.137, 2),
      longitude: expect.closeTo(11.575, 2),
      label: 'Munich, Germany',
      precision: 'city',
      source: 'gazetteer',
    })
    for (const city of ['munchen', 'Muenchen', ' munich ']) expect((await find({ city })).body).toEqual(body)
    expect(await labelOf({ city: 'London' })).toBe('London, United Kingdom')
    expect(await labelOf({ city: 'St. Louis' })).toBe('St. Louis, MO, United States')
    expect(await labelOf({ city: '東京' })).toBe('Tokyo, Japan')
  })

  test('respects the country, and the state after a comma', async () => {
    for (const country of ['Canada', 'ca', 'Kanada']) {
      expect(await labelOf({ city: 'London', country })).toBe('London, Canada')
    }
    expect(await labelOf({ city: 'Paris, TX' })).toBe('Paris, TX, United States')
    expect(await labelOf({ city: 'Portland, Maine', country: 'USA' })).toBe('Portland, ME, United States')
    expect(await labelOf({ city: 'Paris, France' })).toBe('Paris, France')
    expect(await find({ city: 'Paris', country: 'Narnia' })).toMatchObject(failed('No results could be found!'))
    expect(await find({ city: 'Munich', country: 'Japan' })).toMatchObject(failed('No results could be found!'))
  })

  test('finds postal codes of the United States and Canada, but not of other countries', async () => {
    expect((await find({ city: 'Brooklyn', zip: '11201-3107' })).body).toMatchObject({
      label: 'Brooklyn, NY 11201, United States',
      precision: 'zip',
    })
    expect(await labelOf({ city: 'Manhattan', zip: '10001' })).toBe('New York, NY 10001, United States')
    expect(await labelOf({ city: 'Anywhere', zip: '90210', country: 'United States' })).toContain('CA 90210')
    expect(await labelOf({ city: 'Toronto', zip: 'm5v 3l9', country: 'Canada' })).toBe(
      'Downtown Toronto, Ontario M5V, Canada',
    )
    // 10115 is also a post office of New York.
    expect(await labelOf({ city: 'Berlin', zip: '10115' })).toBe('Berlin, Germany')
    expect(await labelOf({ city: 'Berlin', zip: '10115', country: 'Germany' })).toBe('Berlin, Germany')
  })

  test('reports an unknown place', async () => {
    expect(await find({ city: 'Nowhereville' })).toMatchObject(failed('No results could be found!'))
    expect(await find({ city: '!?' })).toMatchObject(failed('No results could be found!'))
  })

  test('requires the fields of the dialog and accepts no others', async () => {
    const problems = async (path: string) => (await member.get(path)).json<{ error: { details: unknown } }>().error
    expect(await problems('/contact-service/v1/geocode')).toMatchObject({
      code: 'invalid_input',
      details: [
        { field: 'address1', message: 'Value is required!' },
        { field: 'city', message: 'Value is required!' },
      ],
    })
    expect(await problems(pathFor({ city: 'Bern', planet: 'Mars' }))).toMatchObject({
      details: [{ field: 'planet', message: 'This field is not known.' }],
    })
  })

  test('requires the right to search contacts', async () => {
    const other = await portal.member(await portal.account(), 'contact-service::imports::get')
    expect(await other.get(pathFor({ city: 'Bern' }))).toMatchObject({ status: 403 })
    expect(await portal.anonymous.get(pathFor({ city: 'Bern' }))).toMatchObject({ status: 401 })
  })

  test('limits the requests of a member without affecting others', async () => {
    const eager = await portal.member(await portal.account())
    const answers: number[] = []
    for (let time = 0; time < 61; time++) answers.push((await eager.get(pathFor({ city: 'Bern' }))).status)
    expect(answers).toEqual([...Array<number>(60).fill(200), 429])
    expect(await find({ city: 'Bern' })).toMatchObject({ status: 200 })
  })
})

describe("with the operator's service", () => {
  const key = 'the-secret-key'
  let service: Server
  let portal: TestPortal
  let member: Member
  let asked: URL
  let answer: (request: IncomingMessage, response: ServerResponse) => void

  beforeAll(async () => {
    service = createServer((request, response) => {
      asked = new URL(request.url ?? '', 'http://localhost')
      answer(request, response)
    })
    service.listen(0, '127.0.0.1')
    await once(service, 'listening')
    const { port } = service.address() as AddressInfo // a TCP server's
    portal = await startPortal({ geocoder: { url: `http://127.0.0.1:${port}/maps/geocode/json?language=en`, key } })
  })
  afterAll(async () => {
    await portal.close()
    service.closeAllConnections()
    service.close()
  })
  beforeEach(async () => {
    member = await portal.member(await portal.account())
  })

  const find = (address: Record<string, string> = {}): Promise<Answer> =>
    member.get(pathFor({ city: 'Zürich', ...address }))
  const answering = (body: unknown, status = 200) => {
    answer = (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
  }

  test('sends its parameters and reads the first result', async () => {
    const location = { lat: 47.37, lng: 8.54 }
    const result = { formatted_address: 'Bahnhofstrasse 1, Zürich', types: ['street_address'], geometry: { location } }
    answering({ status: 'OK', results: [result, { geometry: { location: { lat: 1, lng: 1 } } }] })
    const { body } = await find({ address2: 'Floor 2', zip: '8001', country: 'Switzerland' })
    expect(body).toEqual({
      latitude: 47.37,
      longitude: 8.54,
      label: 'Bahnhofstrasse 1, Zürich',
      precision: 'address',
      source: 'geocoder',
    })
    expect(asked.pathname).toBe('/maps/geocode/json')
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      language: 'en',
      address: '1 Main Street, Floor 2, Zürich, Switzerland',
      components: 'postal_code:8001',
      key,
    })
    await find()
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      language: 'en',
      address: '1 Main Street, Zürich',
      key,
    })
  })

  test('reports no results or the error of the service, and never the key', async () => {
    answering({ status: 'ZERO_RESULTS', results: [] })
    expect(await find()).toMatchObject(failed('No results could be found!'))
    answering({ status: 'REQUEST_DENIED', error_message: `The key ${key} is expired.`, results: [] })
    expect(await find()).toMatchObject(failed('The key … is expired. (status=REQUEST_DENIED)'))
    answering({ status: 'OVER_QUERY_LIMIT' })
    expect(await find()).toMatchObject(failed('The geocoding service refused the request. (status=OVER_QUERY_LIMIT)'))
  })

  test('rejects invalid responses', async () => {
    const message = 'The geocoding service sent an unreadable response. (status=INVALID_RESPONSE)'
    for (const body of ['<html>', { status: 'OK', results: [{ geometry: { location: { lat: 91, lng: 0 } } }] }]) {
      answering(body, 502)
      expect(await find()).toMatchObject(failed(message))
    }
    answer = (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    expect(await find()).toMatchObject(failed('The geocoding service could not be reached. (status=UNREACHABLE)'))
  })

  test('reports a dropped connection or a timeout', { timeout: 20_000 }, async () => {
    answer = (request) => request.socket.destroy()
    expect(await find()).toMatchObject(failed('The geocoding service could not be reached. (status=UNREACHABLE)'))
    answer = (_request, response) => void response.writeHead(200).write('{')
    expect(await find()).toMatchObject(failed('The geocoding service did not respond in time. (status=TIMEOUT)'))
  })
})
