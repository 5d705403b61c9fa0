// How mail programs introduce what they quote, and what phones put under a mail, by language.

/** "wrote", as mail programs put it after or before a name. */
export const wrote =
  /(?:^|[\s,>)\]])(?:wrote|schrieb|a écrit|écrit|escribió|ha scritto|scrive|escreveu|schreef|het volgende geschreven|skrev|har skrevet|kirjoitti|napisał(?:\(a\)|a)?|pisze|написала?|написал\(а\)|пишет)(?=$|[\s:,])/iu;

/** Said before the name only: what follows is no verb but the sender. */
export const saidBefore = /^(?:wiadomość napisana przez|сообщение от)\s/iu;

/** How the line with the date begins; a line before a recognised one that begins so belongs to it. */
export const opens =
  /^(?:on|am|le|el|il|em|no dia|a|às|op|den|w dniu|dnia|in data|wiadomość napisana przez|(?:mon|tue|wed|thu|fri|sat|sun|lun|mar|mer|jeu|ven|sam|dim|lør|søn|man|tir|ons|tor|fre|ma|ti|ke|to|pe|la|su|pon|wt|śr|czw|pt|sob|niedz|пн|вт|ср|чт|пт|сб|вс)\.?,?|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\p{L}{5,14},(?=\s\d{1,2}\s)|\d{1,2}\.?\s\p{L}{3,12})(?=[\s,])/iu;

const originals = [
  "original message",
  "ursprüngliche (?:nachricht|e?-?mail)",
  "originalnachricht",
  "message d['’]origine",
  "(?:message|e?-?mail) original",
  "mensaje original",
  "messaggio originale",
  "mensagem original",
  "oorspronkelijk bericht",
  "origineel bericht",
  "original meddelelse",
  "oprindelig (?:meddelelse|besked)",
  "original besked",
  "opprinnelig melding",
  "opprinnelig meddelelse",
  "ursprungligt meddelande",
  "originalmeddelande",
  "alkuperäinen viesti",
  "oryginalna wiadomość",
  "wiadomość oryginalna",
  "исходное сообщение",
  "оригинальное сообщение",
  "исходное письмо",
];

/** `-----Original Message-----` */
export const originalMessage = new RegExp(`^-{2,40} ?(?:${originals.join("|")}) ?-{0,40}$`, "iu");

const forwards = [
  "forwarded (?:message|by .{1,80})",
  "begin forwarded message:?",
  "weitergeleitete nachricht",
  "anfang der weitergeleiteten (?:nachricht|e-mail):?",
  "message (?:transféré|réexpédié)",
  "début du message (?:transféré|réexpédié) ?:?",
  "mensaje reenviado",
  "inicio del mensaje reenviado:?",
  "messaggio inoltrato",
  "inizio messaggio inoltrato:?",
  "mensagem (?:encaminhada|reencaminhada)",
  "início da mensagem (?:encaminhada|reencaminhada):?",
  "doorgestuurd bericht",
  "begin doorgestuurd bericht:?",
  "videresendt (?:meddelelse|besked|melding)",
  "start på videresendt (?:meddelelse|besked|melding):?",
  "vidarebefordrat meddelande",
  "vidarebefordrat brev:?",
  "välitetty viesti",
  "välitetty viesti alkaa:?",
  "(?:przekazana|przesłana dalej) wiadomość",
  "początek przekazywanej wiadomości:?",
  "пересылаемое сообщение",
  "пересланное сообщение",
  "начало переадресованного сообщения:?",
];

/** What was forwarded is what the mail is about, and stays. */
export const forwardedMessage = new RegExp(`^-{0,40} ?(?:${forwards.join("|")}) ?-{0,40}$`, "iu");

const label = (words: string) => new RegExp(`^(?:${words})\\s?:`, "iu");

/** The lines of a header block, as Outlook and web mailers put it above what they quote. */
export const labels = {
  from: label("from|von|de|da|van|fra|från|lähettäjä|od|nadawca|от|от кого"),
  date: label(
    "sent|date|gesendet|datum|envoyé|enviado(?: el| em)?|enviada em|fecha|inviato|data|verzonden|sendt|dato|skickat|lähetetty|päivämäärä|päiväys|pvm|wysłano|wysłane|data wysłania|отправлено|дата",
  ),
  to: label("to|an|à|a|para|aan|naar|til|till|vastaanottaja|do|adresat|кому"),
  subject: label(
    "subject|betreff|objet|asunto|oggetto|assunto|onderwerp|emne|ämne|aihe|temat|тема",
  ),
  other: label(
    "cc|kopie|kopia|kopi|kopio|dw|udw|копия|bcc|importance|priority|wichtigkeit|priorität|reply-to|antwort an|attachments?|anlagen?|pièces jointes|importancia|prioridad|prioridade|priorità|urgentie|prioritet|prioriteetti|ważność|важность",
  ),
};

/** `Re:` and its kind, once or counted, in front of a subject. */
const replyPrefix =
  /^(?:re|aw|antw?|sv|vs|odp|rif|res|ynt|ref|на|отв?|ответ)(?:\[\d{1,3}\]|\(\d{1,3}\))?\s?:\s*/iu;
const forwardPrefix =
  /^(?:fwd?|wg|tr|rv|i|enc|doorst|vb|vs|vl|pd|fs|пересл|пер)(?:\[\d{1,3}\]|\(\d{1,3}\))?\s?:\s*/iu;

/** The subject is that of a forwarded mail; Finnish writes "VS:" for both, so it counts as either. */
export function isForward(subject: string): boolean {
  return forwardPrefix.test(subject.trim());
}

export function isReply(subject: string): boolean {
  return replyPrefix.test(subject.trim());
}

/** What phones and mail programs put under a mail: how it begins or ends. What stands between is checked word by word. */
export const footers: readonly RegExp[] = [
  /^(?:sent (?:from|via|with|by|using)|get) (?<rest>.+)$/iu,
  /^(?:(?:diese (?:nachricht|e-mail|mail) wurde )?(?:gesendet von|von|versandt mit|gesendet mit|gesendet mit der)) (?<rest>.+?)(?: (?:gesendet|verschickt))?$/iu,
  /^(?:outlook für|holen sie sich) (?<rest>.+?)(?: (?:beziehen|herunterladen))?$/iu,
  /^(?:envoyé (?:depuis|de|à partir de|avec)|télécharger|téléchargez|obtenir|obtenez) (?<rest>.+)$/iu,
  /^(?:enviado (?:desde|con)|obtener|descargar) (?<rest>.+)$/iu,
  /^(?:inviato (?:da|dal|dallo|con)|ottieni|scarica) (?<rest>.+)$/iu,
  /^(?:enviado (?:do|da|de|a partir do|com|via|pelo)|obter(?: o)?|obtenha o|baixar o) (?<rest>.+)$/iu,
  /^(?:verzonden|verstuurd) (?:vanaf|vanuit|met|via|van) (?<rest>.+)$/iu,
  /^(?:outlook voor) (?<rest>.+?) (?:downloaden|ophalen)$/iu,
  /^(?:sendt|hentet) (?:fra|via|med) (?<rest>.+)$/iu,
  /^(?:hent|få|skaff deg|last ned) (?<rest>outlook .+)$/iu,
  /^(?:skickat|skickades) (?:från|via|med) (?<rest>.+)$/iu,
  /^(?:hämta|skaffa) (?<rest>outlook .+)$/iu,
  /^(?:lähetetty|lähetettiin) (?<rest>.+)$/iu,
  /^(?:hanki|lataa) (?<rest>outlook.*)$/iu,
  /^(?:wysłane|wysłano|wysłana) (?:z|ze|przez|za pomocą) (?<rest>.+)$/iu,
  /^(?:pobierz) (?<rest>.*outlook.+)$/iu,
  /^(?:отправлено) (?:с|со|из|через) (?<rest>.+)$/iu,
  /^(?:получить|скачать) (?<rest>outlook.+)$/iu,
];

/** One of these stands in every such footer: a device, a program, a provider. */
export const product =
  /^(?:iphone|ipad|ipada|ipod|ipadista|iphonesta|android|androidista|samsung|galaxy|blackberry|outlook|outlookista|gmail|yahoo!?|huawei|xiaomi|redmi|oneplus|nokia|pixel|sony|xperia|motorola|htc|lg|windows|proton(?:mail)?|gmx|web\.de|mail\.ru|mailru|icloud|thunderbird|k-9|bluemail|spark|zoho|fastmail|fairphone|aol|aquamail|spike|hey|airmail|mailbird|t-online|yandex|яндекс)(?=$|[\s'’.,:-])/iu;

/** What may stand around it; words with a capital or a digit may too. */
export const filler = new Set(
  (
    "ios my from with for on by the a via using app mail mobile phone smartphone tablet device client email e-mail wireless secure " +
    "meinem meiner mein mit für dem der auf handy mobiltelefon telefon gerät mobilen " +
    "mon ma mes mobile téléphone portable avec pour sous appareil application un " +
    "mi mis móvil movil teléfono telefono dispositivo para tableta con " +
    "mio mia il da dal per su cellulare telefono " +
    "meu minha telemóvel celular aparelho o com " +
    "mijn vanaf voor op mobiele telefoon toestel " +
    "min mit mobil fra til på mobilen enhed enhet for " +
    "mobilen från för telefonen surfplatta " +
    "matkapuhelimesta puhelimestani puhelimesta laitteestani älypuhelimesta " +
    "mojego telefonu telefon smartfona smartfonu urządzenia komórki systemu dla z aplikacji aplikację ipada ipada’u iphone’a iphone'a androida poczty " +
    "моего мобильной мобильного телефона почты устройства приложения для смартфона планшета айфона"
  ).split(" "),
);

/** How people end a letter; a name and how to reach them may follow. */
export const signOff =
  /^(?:(?:(?:kind|best|warm|many|with kind|with best) )?regards|best|best wishes|cheers|sincerely|yours (?:sincerely|truly|faithfully)|all the best|mit freundlichen grüßen|mit freundlichem gruß|(?:viele|beste|liebe|freundliche|herzliche|schöne) grüße|mfg|lg|vg|gruß|grüße|(?:bien |très )?cordialement|bien à vous|salutations|(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|un abrazo|(?:cordiali |distinti )?saluti|cordialmente|atenciosamente|(?:com os )?(?:melhores )?cumprimentos|abraços?|(?:met )?(?:vriendelijke|hartelijke) groet(?:en)?|groet(?:en|jes)?|mvg|(?:med )?venlig(?:e)? hilsen(?:er)?|(?:med )?vennlig hilsen|(?:de )?bedste hilsner|mvh|hilsen|(?:med )?vänliga? hälsning(?:ar)?|hälsningar|(?:ystävällisin |parhain )?terveisin|terv|z poważaniem|pozdrawiam|pozdrowienia|(?:с )?уважением|с наилучшими пожеланиями|всего доброго)[,.!]?$/iu;
