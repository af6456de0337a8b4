import type { z } from 'zod'
import { Account, AccountEntry, accountsApi } from './accounts.ts'
import { Activity, activityApi } from './activity.ts'
import { AuditEntry, auditApi } from './audit.ts'
import { contactAccountsApi } from './contact-accounts.ts'
import { contactEditsApi } from './contact-edits.ts'
import { contactsApi, Field, Offer, OfferOrRow, OfferOrRowShape } from './contacts.ts'
import { CellAnswer, Dashboard, dashboardsApi, DashboardVersion, NewDashboard, SharedWith } from './dashboards.ts'
import { DedupKeys, dedupKeysApi, KeyComputation } from './dedup-keys.ts'
import { DeleteRecord, deletesApi, NewDelete } from './deletes.ts'
import { eventsApi, NewEvent } from './events.ts'
import { DownloadEntry, downloadsApi } from './downloads.ts'
import { Export, exportsApi, NewExport } from './exports.ts'
import { Explanation, explainApi } from './explain.ts'
import { rightsApi } from './rights.ts'
import { FieldDetails, FieldEntry, fieldsApi } from './fields.ts'
import { filesApi } from './files.ts'
import { filterSettingsApi } from './filter-settings.ts'
import { geocodingApi, Place } from './geocoding.ts'
import { Deployment, signInApi, User } from './sign-in.ts'
import { Preferences, preferencesApi } from './preferences.ts'
import {
  Accumulator,
  Condition,
  EventCondition,
  EventsTest,
  Expression,
  FieldTests,
  Filter,
  LocationTest,
  Pipeline,
  WordsTest,
} from './filter-stages.ts'
import { PipelineStages, Stages } from './filter.ts'
import { peopleApi } from './people.ts'
import { ApiCredential, identitiesApi, Identity, NewIdentity } from './identities.ts'
import { Impersonation, impersonationApi } from './impersonation.ts'
import { ImportPreview, importPreviewApi } from './import-preview.ts'
import { importUndoApi } from './import-undo.ts'
import { ImportReview, importReviewApi } from './import-review.ts'
import { Import, ImportDefaults, importsApi, NewEventImport, NewImport } from './imports.ts'
import { IndexDetails, indexesApi, NewIndex } from './indexes.ts'
import { Count } from './list-query.ts'
import { Delivery, notificationsApi } from './notifications.ts'
import { ownAccountApi, OwnSession, Profile } from './own-account.ts'
import { ownIdentitiesApi, OwnCredentials, OwnInvitation } from './own-identities.ts'
import { Passkey, passkeysApi } from './passkeys.ts'
import { Group, NewGroup, NewPolicy, policiesApi, Policy } from './policies.ts'
import { Sender, sendersApi } from './senders.ts'
import { schedulerApi } from './scheduler.ts'
import { Cron, CronDraft } from './scheduler/crons.ts'
import { CalendarDay, Schedule, ScheduleDetails } from './scheduler/schedules.ts'
import { publicAccessApi } from './public-access.ts'
import { NewRemoteAccess, RemoteAccess, remoteAccessApi } from './remote-access.ts'
import { FilterVersion, FilterVersionEntry, NewSavedFilter, SavedFilter, savedFiltersApi } from './saved-filters.ts'
import { Membership, MembershipNode, Segment, SegmentComparison, SegmentEntry, segmentsApi } from './segments.ts'

/** All calls of the portal, in one place: the server serves them, the web app calls them and the docs list them. */
export const api = {
  ...signInApi,
  ...ownAccountApi,
  ...passkeysApi,
  ...ownIdentitiesApi,
  ...policiesApi,
  ...identitiesApi,
  ...impersonationApi,
  ...preferencesApi,
  ...accountsApi,
  ...explainApi,
  ...rightsApi,
  ...peopleApi,
  ...auditApi,
  ...activityApi,
  ...contactsApi,
  ...contactEditsApi,
  ...contactAccountsApi,
  ...eventsApi,
  ...geocodingApi,
  ...filesApi,
  ...importsApi,
  ...importPreviewApi,
  ...importUndoApi,
  ...dedupKeysApi,
  ...importReviewApi,
  ...indexesApi,
  ...fieldsApi,
  ...filterSettingsApi,
  ...savedFiltersApi,
  ...segmentsApi,
  ...deletesApi,
  ...exportsApi,
  ...dashboardsApi,
  ...notificationsApi,
  ...sendersApi,
  ...downloadsApi,
  ...schedulerApi,
  ...remoteAccessApi,
  ...publicAccessApi,
}

/**
 * Maps schemas that accept any input to the ones that describe them. Such input is checked where it is read, with more
 * knowledge than a schema has: filters and pipelines, as JSON or as its text.
 */
export const describedBy: ReadonlyMap<z.core.$ZodType, z.ZodType> = new Map<z.core.$ZodType, z.ZodType>([
  [OfferOrRow, OfferOrRowShape],
  [Stages, Filter],
  [NewDelete.shape.filter, Filter],
  [PipelineStages, Pipeline],
  [NewSavedFilter.shape.aggregateQuery, Pipeline],
  [NewExport.shape.aggregateQuery, Pipeline],
])

/** Schemas that the API description defines under a name; all others are inlined. */
export const namedSchemas = {
  Accumulator,
  Condition,
  EventCondition,
  EventsTest,
  Expression,
  FieldTests,
  Filter,
  LocationTest,
  Pipeline,
  WordsTest,
  Account,
  Activity,
  ApiCredential,
  AuditEntry,
  Explanation,
  Group,
  Identity,
  Impersonation,
  ImportDefaults,
  ImportPreview,
  ImportReview,
  IndexDetails,
  FieldDetails,
  FieldEntry,
  FilterVersion,
  FilterVersionEntry,
  NewGroup,
  NewIdentity,
  NewIndex,
  NewPolicy,
  NewRemoteAccess,
  NewSavedFilter,
  OwnSession,
  OwnInvitation,
  OwnCredentials,
  Passkey,
  Place,
  Policy,
  Profile,
  RemoteAccess,
  SavedFilter,
  Segment,
  SegmentComparison,
  Membership,
  MembershipNode,
  SegmentEntry,
  Schedule,
  ScheduleDetails,
  AccountEntry,
  CalendarDay,
  CellAnswer,
  Count,
  Cron,
  CronDraft,
  Dashboard,
  DashboardVersion,
  DedupKeys,
  KeyComputation,
  DeleteRecord,
  Delivery,
  Sender,
  Deployment,
  DownloadEntry,
  Export,
  Field,
  Import,
  NewDashboard,
  NewEvent,
  NewEventImport,
  NewExport,
  NewImport,
  Offer,
  Preferences,
  SharedWith,
  User,
}
