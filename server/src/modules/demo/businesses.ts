import { phrases } from './word-lists.ts'

/** Parts of company names, which combine to thousands of names. */
const founders = phrases(`
  Aspen; Bayline; Bluestem; Brightwater; Canyon; Cascade; Cedar & Finch; Clearbrook; Copperleaf; Eastgate;
  Evergreen; Fairhaven; Foxglove; Granite Peak; Halcyon; Hawthorne; Ironwood; Juniper; Keystone; Lakeshore;
  Larkspur; Meridian; Moore, Hale & Sons; Nordlicht; Oakhurst; Orchard Hill; Pinecrest; Quarry Lane; Redwood;
  Ridgeway; Riverbend; Saltmarsh; Silverline; Stonebridge; Summit; Tidewater; Upland; Vantage; Westbrook; Wildflower
`)
const trades = phrases(`
  Analytics; Architects; Bakery; Bicycles; Brewing; Clinic; Construction; Consulting; Dental; Design; Energy;
  Engineering; Farms; Foods; Furniture; Hospital; Hotels; Insurance; Labs; Legal; Logistics; Media; Outfitters;
  Partners; Press; Robotics; School District; Software; Studios; Textiles; Travel; University
`)

export const companies: readonly string[] = founders.flatMap((founder) => trades.map((trade) => `${founder} ${trade}`))

export const jobTitles: readonly string[] = phrases(`
  Account Executive; Accountant; Administrative Assistant; Architect; Art Director; Attorney; Business Analyst;
  Chief Executive Officer; Chief Financial Officer; Civil Engineer; Consultant; Customer Success Manager;
  Data Analyst; Dentist; Director of Operations; Electrician; Event Coordinator; Financial Advisor; Founder;
  Graphic Designer; Human Resources Manager; Journalist; Logistics Manager; Marketing Director; Marketing Manager;
  Mechanical Engineer; Nurse Practitioner; Office Manager; Owner; Paralegal; Pharmacist; Photographer; Physician;
  Principal; Product Manager; Professor; Project Manager; Real Estate Agent; Registered Nurse; Research Scientist;
  Retired; Sales Director; Sales Representative; Social Worker; Software Engineer; Store Manager; Teacher;
  UX Designer; Veterinarian; Vice President of Sales
`)

// Names below .example and example.com have no owner (RFC 2606), so no message can reach a real person.
export const mailDomains: readonly string[] = phrases(`
  bluebird.example; postbox.example; inbox.example; northmail.example; letterbird.example; example.com;
  example.net; example.org
`)
