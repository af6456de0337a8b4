import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import { usesFullText } from '@portico/domain/pipeline/full-text'
import { matching } from '@portico/domain/pipeline/match-json'
import type { Pipeline, Row } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { everyRule } from '@portico/domain/pipeline/row-rules'
import { compilePipeline, type ContactSource, openContactSource, type QueryContext, userQuery } from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { AccountFacts } from '#platform/http/context.ts'
import { countPipelineRows, readPipelineRows } from './aggregate.service.ts'
import { countOverlap, type Overlap } from './comparison.queries.ts'
import { compileMatching, compileSearch, fieldsByName } from './compile-search.ts'
import { readPage } from './contact-page.service.ts'
import { useFullTextIndex } from './full-text-index.service.ts'
import { toOffers } from './offers.ts'
import { countMatching } from './page-and-count.service.ts'
import { compileVerdicts, type JudgedCondition, type Verdict } from './compile-verdicts.ts'
import { selectVerdicts } from './verdicts.queries.ts'

/** Reads rows of pipelines over the contacts for other modules, which have judged whether they may. */
export type ContactReader = {
  /**
   * The contacts that a pipeline of conditions chooses, or the rows of any other. Without `columns`, with all of them.
   * @throws invalid_filter, also for a column that does not exist; timed_out
   */
  rows: (pipeline: Pipeline, page: RowsPage) => Promise<Row[]>
  /** How many there are. @throws invalid_filter, timed_out */
  count: (pipeline: Pipeline) => Promise<number>
  /** How many contacts two pipelines of conditions choose both, or one of them. @throws invalid_filter, timed_out */
  compare: (one: Pipeline, other: Pipeline) => Promise<Overlap>
  /**
   * Whether each of the pipelines of conditions chooses a contact, and the values that `looksAt` names, in one statement.
   * Null if there is no such contact among those that are read. @throws invalid_filter, timed_out
   */
  judge: (id: string, conditions: readonly JudgedCondition[]) => Promise<Verdict[] | null>
}

type RowsPage = { limit: number; skip?: number; sort?: Record<string, 1 | -1>; columns?: readonly string[] }

/** `rows`: the only contacts that are read; null for all. `snapshot`: where they are read, unless as of now. */
export type ReaderContext = QueryContext & {
  snapshot?: Db | undefined
  facts?: AccountFacts | null
  rows: Stages | null
}

export function openContactReader(
  { rows: visible, facts = null, db, signal, snapshot = db }: ReaderContext,
  account: AccountId,
): ContactReader {
  const context = { db: snapshot, ...(signal && { signal }) }
  const open = async (pipeline: Pipeline, rows = visible): Promise<ContactSource> => {
    const hasFullTextIndex = usesFullText(pipeline) && (await useFullTextIndex(db, undefined, account))
    return openContactSource(db, account, { rows, hasFullTextIndex, isOwnQuery: pipeline.length === 0, facts })
  }
  return {
    async rows(pipeline, { limit, skip = 0, sort, columns = [] }) {
      const source = await open(pipeline)
      const stages = writePipeline(pipeline)
      if (!isOfConditions(pipeline)) return readPipelineRows(context, source, stages, { columns, sort, limit, skip })
      const fields = fieldsByName(source, columns, (message) => new AppError('invalid_filter', undefined, message))
      const search = compileSearch(source, stages, { fields, sort, limit, skip })
      return toOffers(fields, await userQuery(context, (reader) => readPage(reader, search)))
    },
    async count(pipeline) {
      const source = await open(pipeline)
      const stages = writePipeline(pipeline)
      if (!isOfConditions(pipeline)) return countPipelineRows(context, source, stages)
      const matching = compileMatching(source, stages)
      return userQuery(context, (reader) => countMatching(reader, matching))
    },
    async compare(...pipelines) {
      const { scope } = await open(pipelines.flat())
      const { resolve, from } = scope()
      const [one = null, other = null] = pipelines.map((each) => compilePipeline(writePipeline(each), resolve).where)
      return userQuery(context, (reader) => countOverlap(reader, account, { from: from(), one, other }))
    },
    async judge(id, conditions) {
      // As a rule, the id also narrows the events: their conditions read those of this contact only.
      const rows = everyRule(visible, matching({ _id: id }))
      const { scope } = await open(
        conditions.flatMap(({ pipeline }) => pipeline),
        rows,
      )
      const { statement, read } = await compileVerdicts(scope(), conditions)
      const row = await userQuery(context, (reader) => selectVerdicts(reader, account, statement))
      return row && read(row)
    },
  }
}

const isOfConditions = (pipeline: Pipeline): boolean => pipeline.every(({ kind }) => kind === 'match')
