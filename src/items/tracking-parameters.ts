// Parameters that say where a reader came from, or who is reading, and never which page it is: part of rules 2 of
// url-identity.ts. A name is here only if the tool that adds it made it up, so that no site has a use of its own for it.
// Names that some sites give to content (ref, source, from, s, t, cid, sid, campaign ...) are not, whoever else adds them.

/** In small letters, by who adds them. */
const names = {
  // Clicks on advertisements.
  google: 'gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid _ga _gl',
  meta: 'fbclid fb_action_ids fb_action_types fb_source fb_ref action_object_map action_type_map action_ref_map mibextid igshid igsh',
  microsoft: 'msclkid msockid',
  yandex: 'yclid ysclid',
  x: 'twclid ref_src',
  tiktok: 'ttclid',
  linkedin: 'li_fat_id',
  pinterest: 'epik',
  snapchat: 'sccid',
  reddit: 'rdt_cid',
  quora: 'qclid',
  yahoo: 'vmcid guccounter guce_referrer guce_referrer_sig',
  baidu: 'bd_vid',
  naver: 'napm',
  outbrain: 'dicbo',
  taboola: 'tblci',
  criteo: 'cto_pld',
  adobeAdvertising: 's_kwcid ef_id',
  marin: 'mkwid pcrid',
  wickedReports: 'wickedid wickedsource',
  branch: '_branch_match_id _branch_referrer',

  // Sales that somebody is paid for.
  impact: 'irclickid irgwc',
  cj: 'cjevent cjdata',
  rakuten: 'ranmid raneaid ransiteid',
  shareASale: 'sscid',
  tradedoubler: 'tduid',
  admitad: 'admitad_uid',

  // Newsletters: which one, and often to whom it was sent.
  mailchimp: 'mc_cid mc_eid mc_tc',
  hubspot: '_hsenc _hsmi __hssc __hstc __hsfp hsctatracking',
  marketo: 'mkt_tok',
  klaviyo: '_kx _ke',
  vero: 'vero_id vero_conv',
  omeda: 'oly_anon_id oly_enc_id',
  drip: '__s',
  bronto: '_bta_tid _bta_c',
  listrak: 'trk_contact trk_msg trk_module trk_sid',
  dotdigital: 'dm_i',
  emarsys: 'sc_src sc_lid sc_llid sc_uid sc_eh sc_customer',
  eloqua: 'elqtrackid elqtrack elqaid elqat elqak elqcst elqcampaignid',
  acoustic: 'spmailingid spuserid spjobid spreportid',
  mailerLite: 'ml_subscriber ml_subscriber_hash',
  activeCampaign: 'vgo_ee',
  beehiiv: '_bhlid',
  kit: 'ck_subscriber_id',

  // Statistics of visits.
  matomo: 'pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid piwik_campaign piwik_kwd',
  piano:
    'xtor at_medium at_campaign at_creation at_variant at_format at_channel at_platform at_network at_identifier',
  openstat: '_openstat',
  webtrends: 'wt.mc_id wt.mc_ev',
  mapp: 'wt_mc wt_zmc',
  comscore: 'ns_campaign ns_mchannel ns_source ns_linkname ns_fee',

  // Logins that a server without cookies writes into every link. Of their many names these cannot be anything else.
  sessions: 'jsessionid phpsessid oscsid zenid',
};

/** Families that have a beginning of their own: Google, Matomo, HubSpot, etracker, Blueshift, Segment. */
export const trackingFamilies: readonly string[] = [
  'utm_',
  'mtm_',
  'matomo_',
  'hsa_',
  'etcc_',
  'bsft_',
  'ajs_',
];

export const trackingParameters: ReadonlySet<string> = new Set(
  Object.values(names).flatMap((ofVendor) => ofVendor.split(' ')),
);

export function isTracking(name: string): boolean {
  const small = name.toLowerCase();
  return (
    trackingParameters.has(small) ||
    trackingFamilies.some((family) => small.startsWith(family) && small.length > family.length)
  );
}
