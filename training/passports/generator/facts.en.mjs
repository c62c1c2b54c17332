// Random facts of English property documents: UK, US, Irish and translated Russian.

/** @typedef {import('./random.mjs').Random} Random */

const words = (text) => text.split('|');
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const join = (parts, separator = ' ') => parts.filter(Boolean).join(separator);

// ---- Names ----

const ONSETS = words('b|c|d|f|g|h|k|l|m|n|p|r|s|t|v|w|br|ch|cl|cr|dr|fl|gl|gr|pr|sh|st|str|th|tr|wh|sl|sp|sw|bl|kn');
const VOWELS = words('a|e|i|o|u|a|e|i|o|ea|oo|ai|ou|ee|ey|oa');
const CODAS = words('||n|r|l|s|t|m|d|ck|ld|nd|rn|st|th|rt|ll|ng|x|mp|rk|ss');
const TOWN_ENDS = words(
  'ton|ham|ford|bury|by|ley|worth|wick|field|bridge|mouth|combe|thorpe|stead|mere|port|dale|burgh|ville|boro|well|gate|stow|minster|ness|more|cross|pool|haven|side',
);
const NAME_ENDS = words(
  'son|s|er|man|well|ley|ton|ard|ing|ett|by|wood|smith|more|kin|kins|low|land|shaw|ford|ison|wright|',
);
const RUSSIAN_ROOTS = words(
  'Sad|Les|Zavod|Kuzn|Berez|Klen|Stepn|Rech|Polev|Gor|Novo|Staro|Krasn|Bel|Zelen|Lug|Sosn|Morsk|Sever|Yuzhn|Pobed|Kirp|Bolot|Tikh|Volzh|Dub|Ozer|Kamen|Mosk|Vishn|Ryab|Sirenev|Lipov|Zarech',
);
const RUSSIAN_TOWN_ENDS = words('ovsk|insk|grad|ogorsk|ovo|ino|evka|sk|yansk|ukhino|nitsa|ets|opol');
const RUSSIAN_SURNAMES = words(
  'Ivanov|Petrov|Kuznetsov|Smirnov|Popov|Volkov|Sokolov|Lebedev|Morozov|Fedorov|Orlov|Zaitsev|Gusev|Belov|Tarasov|Zhukov|Komarov|Shcherbakov|Ryabov|Chernyshev|Yakovlev|Timofeev|Khokhlov|Sidorenko|Melnik|Bondarenko|Gromov|Abramov|Nikiforov|Savelyev',
);
const RUSSIAN_SYLLABLES = words(
  'ba|be|bo|va|vi|vo|ga|go|gu|da|do|du|zha|za|ze|zi|ka|ko|ku|la|le|lo|lu|ma|mi|mo|na|ni|no|pa|pe|po|ra|ro|ru|sa|se|so|su|ta|to|tu|fo|kha|khu|cha|che|shu|shche|ya|yu|kri|tre|sto|gra|blo|ple|sve',
);
const RUSSIAN_MALE = words(
  'Ivan|Petr|Aleksandr|Dmitry|Sergey|Andrey|Mikhail|Nikolai|Viktor|Yuri|Oleg|Pavel|Vladimir|Igor|Konstantin|Evgeny|Ruslan|Timur|Anatoly|Gennady',
);
const RUSSIAN_FEMALE = words(
  'Anna|Olga|Elena|Irina|Natalia|Tatiana|Svetlana|Galina|Marina|Ekaterina|Lyudmila|Yulia|Vera|Nadezhda|Zoya|Larisa|Valentina|Ksenia',
);
const PATRONYMICS = words(
  'Ivanov|Petrov|Aleksandrov|Dmitriev|Sergeev|Andreev|Mikhailov|Nikolaev|Viktorov|Yurev|Olegov|Pavlov|Vladimirov|Igorev|Konstantinov|Evgenev|Anatolev|Gennadev|Vasilev|Stepanov|Fedorov',
);
const GIVEN = words(
  'John|James|Mary|Patricia|Robert|Michael|Linda|William|David|Susan|Richard|Joseph|Karen|Thomas|Sarah|Charles|Daniel|Nancy|Matthew|Anthony|Margaret|Mark|Sandra|Paul|Steven|Ashley|Andrew|Emily|Kenneth|Donna|Joshua|Michelle|Kevin|Carol|Brian|Amanda|George|Melissa|Edward|Deborah|Siobhan|Aoife|Niamh|Ciaran|Padraig|Sean|Eoin|Liam|Fiona|Hamish|Angus|Rhys|Gareth|Megan|Priya|Anil|Mohammed|Fatima|Wei|Chen|Olu|Grace|Ngozi|Tomasz|Agnieszka|Maria|José|Luis|Chloe|Harriet|Imogen|Rupert|Nigel|Trevor|Doreen|Beryl|Walter|Florence|Albert',
);
const SURNAMES = words(
  "Smith|Jones|Taylor|Brown|Williams|Wilson|Johnson|Davies|Patel|Wright|Walker|Thompson|White|Hughes|Edwards|Green|Hall|Wood|Harris|Lewis|Martin|Jackson|Clarke|Turner|Hill|Cooper|Ward|Moore|Morris|Campbell|Anderson|MacDonald|McKenzie|Fraser|Stewart|Murphy|Kelly|O'Brien|O'Sullivan|Byrne|Ryan|O'Connor|Walsh|McCarthy|Doyle|Gallagher|Doherty|Kennedy|Lynch|Quinn|García|Rodriguez|Martinez|Nguyen|Kim|Lee|Khan|Ahmed|Okafor|Adeyemi|Kowalski|Nowak|Schmidt|Rossi|Cohen|Fitzgerald|Pennington|Ashworth|Blackwood|Featherstone|Holloway|Thistlewood|Wainwright|de Vries|van Dyke|St. Clair",
);
const STREET_WORDS = words(
  "High|Church|Station|Mill|Park|Victoria|Albert|Queen|King|Chapel|School|Manor|Orchard|Elm|Oak|Maple|Cedar|Pine|Walnut|Chestnut|Beech|Ash|Willow|Sycamore|Market|Bridge|Canal|River|Lake|Hill|Valley|Prospect|Union|Washington|Lincoln|Jefferson|Franklin|Madison|St John's|St Mary's|St. James|Old Mill|New|London|York|Cambridge|Windsor|Grosvenor|Wellington|Nelson|Waterloo|Alexandra|Clarence|Rose|Primrose|Sunset|Meadow|Grange|Abbey|Priory|Castle|Tower|Quarry|Harbour|Dock|North|South Main|West 42nd|E. 5th|NW 23rd|Bay|Ocean View|Broad|Water|Front|Court|Gallows Hill|Back Lane|Spencer|Marlborough",
);
const UK_STREETS = words(
  'Street|Street|Road|Road|Lane|Avenue|Close|Drive|Crescent|Terrace|Place|Gardens|Way|Court|Square|Mews|Grove|Rise|Walk|Row|Hill|Green|Parade|Quay|Wharf|St|Rd|Ave|Ln|Cres.|Wynd|Gate|Approach|Yard',
);
const US_STREETS = words(
  'Street|St|St.|Avenue|Ave|Ave.|Road|Rd|Boulevard|Blvd|Drive|Dr|Dr.|Lane|Ln|Court|Ct|Circle|Cir|Way|Place|Pl|Parkway|Pkwy|Highway|Trail|Terrace|Pike|Loop',
);
const UK_TOWNS = words(
  'London|Manchester|Leeds|Bristol|Norwich|York|Exeter|Glasgow|Edinburgh|Cardiff|Swansea|Newcastle upon Tyne|Stoke-on-Trent|Kingston upon Hull|Bury St Edmunds|Chipping Norton|Leamington Spa|Bath|Derby|Ipswich|Luton|Oldham|Perth|Stirling|Wrexham|Bangor|Lisburn|Weston-super-Mare|Milton Keynes|Great Yarmouth|Ashby-de-la-Zouch',
);
const UK_COUNTIES = words(
  'Kent|Surrey|Essex|Norfolk|Suffolk|Devon|Cornwall|Dorset|Somerset|Wiltshire|Hampshire|West Sussex|East Sussex|Oxfordshire|Berkshire|Bucks|Hertfordshire|Herts|Cambridgeshire|Cambs|Lincolnshire|Lincs|Nottinghamshire|Notts|Derbyshire|Staffordshire|Staffs|Cheshire|Lancashire|Lancs|North Yorkshire|West Yorkshire|South Yorkshire|Cumbria|Northumberland|Durham|County Durham|Shropshire|Herefordshire|Worcestershire|Gloucestershire|Glos|Northants|Leicestershire|Rutland|Greater Manchester|Merseyside|Tyne and Wear|West Midlands|Fife|Lothian|Strathclyde|Gwent|Powys|Dyfed|Co. Antrim|Co. Down|Isle of Wight|Middlesex',
);
const UK_POST = words(
  'SW|SE|NW|N|E|W|M|LS|BS|NR|YO|EX|G|EH|CF|SA|NE|ST|HU|IP|CV|BA|DE|LU|OL|PH|FK|LL|BT|MK|TN|GU|CM|PL|TR|BH|RG|OX|SL|AL|PE|NG|SK|PR|CA|SR|WR|GL|NN|LE|B|L|KY|NP|PO',
);
const US_STATES = [
  ['Ohio', 'OH'],
  ['Texas', 'TX'],
  ['Oregon', 'OR'],
  ['Maine', 'ME'],
  ['Vermont', 'VT'],
  ['California', 'CA'],
  ['New York', 'NY'],
  ['New Jersey', 'NJ'],
  ['Illinois', 'IL'],
  ['Michigan', 'MI'],
  ['Georgia', 'GA'],
  ['Florida', 'FL'],
  ['Kansas', 'KS'],
  ['Iowa', 'IA'],
  ['Utah', 'UT'],
  ['Idaho', 'ID'],
  ['Washington', 'WA'],
  ['Virginia', 'VA'],
  ['Massachusetts', 'MA'],
  ['Connecticut', 'CT'],
  ['Pennsylvania', 'PA'],
  ['Minnesota', 'MN'],
  ['North Carolina', 'NC'],
  ['Colorado', 'CO'],
  ['Arizona', 'AZ'],
  ['Tennessee', 'TN'],
];
const US_TOWNS = words(
  'Springfield|Portland|Columbus|Dayton|Burlington|Salem|Fairview|Madison|Georgetown|Arlington|Ann Arbor|Boise|Topeka|Cedar Rapids|Des Moines|Providence|Raleigh|Savannah|Tucson|Fort Wayne|St. Louis|San Mateo|Santa Rosa|Grand Rapids|Oak Park|Chapel Hill|New Haven|White Plains',
);
const US_COUNTIES = words(
  'Franklin|Washington|Jefferson|Lincoln|Madison|Cook|Orange|Suffolk|Essex|King|Multnomah|Travis|Wayne|Hamilton|Fulton|Lake|Marion|Douglas|Clay|Monroe',
);
const IE_COUNTIES = words(
  'Dublin|Cork|Galway|Kerry|Mayo|Clare|Limerick|Tipperary|Waterford|Wexford|Wicklow|Kildare|Meath|Louth|Donegal|Sligo|Leitrim|Roscommon|Cavan|Monaghan|Longford|Westmeath|Offaly|Laois|Carlow|Kilkenny',
);
const IE_TOWNS = words(
  'Dublin|Cork|Galway|Limerick|Naas|Navan|Trim|Ennis|Tralee|Killarney|Sligo|Athlone|Mullingar|Dundalk|Drogheda|Swords|Malahide|Bray|Greystones|Tramore|Nenagh|Thurles|Ballina|Westport|Letterkenny|Carrick-on-Shannon|Dún Laoghaire|Clonakilty',
);
const RUSSIAN_REGIONS = words(
  'Moscow|Tver|Samara|Saratov|Tula|Ryazan|Perm|Omsk|Tomsk|Kirov|Kursk|Orel|Penza|Novgorod|Pskov|Vologda|Yaroslavl|Ivanovo|Kaluga|Smolensk|Rostov|Irkutsk|Chelyabinsk|Sverdlovsk|Leningrad|Ulyanovsk|Voronezh',
);
const RUSSIAN_TOWNS = words(
  'Moscow|Tver|Samara|Saratov|Tula|Kazan|Perm|Omsk|Tomsk|Kirov|Penza|Pskov|Ufa|Barnaul|Rybinsk|Syzran|Vyborg|Gatchina|Podolsk|Serpukhov|Kolomna|Saint Petersburg|Nizhny Novgorod|Veliky Luki',
);

const syllable = (random) => random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);

/** A pseudo-word of `count` syllables. */
const pseudoWord = (random, count) => {
  const word = capital(Array.from({ length: count }, () => syllable(random)).join(''));
  return /fuck|shit|dick|cunt|twat|slut|null/i.test(word) ? pseudoWord(random, count) : word;
};

const pseudoTown = (random) => {
  const town = pseudoWord(random, 1) + random.pick(TOWN_ENDS);
  if (random.chance(0.08))
    return `${random.pick(words('Great|Little|Upper|Lower|North|South|East|West|New|Old|Fort|Lake|Mount|St.|Kirk|Bally'))} ${town}`;
  if (random.chance(0.06))
    return `${town}-${random.pick(words('on|by|under|in'))}-${random.pick(['Sea', pseudoWord(random, 1), 'Hill', 'the-Marsh'])}`;
  return town;
};

const irishTown = (random) =>
  `${random.pick(words('Bally|Kil|Dun|Clon|Knock|Rath|Carrick|Glen|Drum|Inis|Ard|Lis|Castle|Mona|Tulla|Derry'))}${syllable(random)}${random.pick(words('|een|more|beg|agh|y|in|nagh|an'))}`;

const pseudoSurname = (random) => {
  const name = pseudoWord(random, random.integer(1, 2)) + random.pick(NAME_ENDS);
  if (random.chance(0.06)) return `${random.pick(['Mc', 'Mac', "O'", 'Fitz'])}${name}`;
  return random.chance(0.05) ? `${name}-${random.pick(SURNAMES)}` : name;
};

const russianStem = (random) =>
  capital(
    Array.from({ length: random.integer(1, 3) }, () => random.pick(RUSSIAN_SYLLABLES)).join('') +
      random.pick(words('n|k|r|l|b|d|t|m|sh|ch|z|st|g|v')),
  );

/** A person as "Given Middle Surname"; `format.person` puts it in other forms. */
function personName(random, isRussian) {
  if (!isRussian) {
    const given = random.chance(0.85) ? random.pick(GIVEN) : pseudoWord(random, random.integer(1, 2));
    const surname = random.chance(0.5) ? random.pick(SURNAMES) : pseudoSurname(random);
    const middle = random.weighted([
      ['', 5],
      [`${random.pick(words('A|B|C|D|E|F|G|H|J|K|L|M|N|P|R|S|T|W'))}.`, 3],
      [random.pick(GIVEN), 2],
    ]);
    return join([given, middle, surname]);
  }
  const isFemale = random.chance(0.5);
  const stem = random.chance(0.45)
    ? random.pick(RUSSIAN_SURNAMES)
    : russianStem(random) + random.pick(words('ov|ev|in|enko|sky|ko|uk'));
  const surname = !isFemale ? stem : stem.replace(/sky$/, 'skaya').replace(/(ov|ev|in)$/, '$1a');
  return `${random.pick(isFemale ? RUSSIAN_FEMALE : RUSSIAN_MALE)} ${random.pick(PATRONYMICS)}${isFemale ? 'na' : 'ich'} ${surname}`;
}

const streetName = (random) =>
  random.weighted([
    [random.pick(STREET_WORDS), 5],
    [pseudoWord(random, random.integer(1, 2)), 4],
    [pseudoTown(random), 2],
    [pseudoSurname(random), 1],
  ]);

// ---- Addresses ----

const LETTERS = words('A|B|C|D|E|F');
const houseNumber = (random) => {
  const number = String(random.integer(1, random.pick([30, 120, 400])));
  return random.weighted([
    [number, 14],
    [number + random.pick(words('A|B|C|a|b')), 2],
    [`${number}-${Number(number) + random.integer(1, 3) * 2}`, 1],
    [`${number}/${random.integer(1, 9)}`, 0.6],
  ]);
};
const flatNumber = (random) =>
  random.weighted([
    [String(random.integer(1, 60)), 8],
    [String(random.integer(1, 9) * 100 + random.integer(1, 24)), 3],
    [`${random.integer(1, 30)}${random.pick(LETTERS)}`, 2],
    [random.pick(LETTERS), 0.6],
    [`${random.integer(1, 12)}.${random.integer(1, 9)}`, 0.4],
  ]);
const buildingName = (random) =>
  `${random.pick([pseudoSurname(random), pseudoTown(random), random.pick(STREET_WORDS), `The ${random.pick(STREET_WORDS)}`])} ${random.pick(words('House|Court|Mansions|Lodge|Cottage|Villas|Buildings|Point|Heights|Hall|Mill|Wharf|Apartments|Chambers|Tower'))}`;

function britishAddress(random, isFlat) {
  const town = random.chance(0.4) ? random.pick(UK_TOWNS) : pseudoTown(random);
  const county = random.chance(0.65) ? random.pick(UK_COUNTIES) : '';
  const village = random.chance(0.25)
    ? random.chance(0.25)
      ? `${random.pick(['Borough of', 'District of', 'Parish of', 'Royal Borough of'])} ${pseudoTown(random)}`
      : pseudoTown(random)
    : '';
  const street = `${streetName(random)} ${random.pick(UK_STREETS)}`;
  const house = houseNumber(random);
  const blockName =
    !isFlat || random.chance(0.65)
      ? ''
      : random.chance(0.5)
        ? `Block ${random.pick([random.pick(LETTERS), String(random.integer(1, 9))])}`
        : buildingName(random);
  const number = flatNumber(random);
  const flat = isFlat
    ? `${random.weighted([
        ['Flat', 7],
        ['Apartment', 2],
        ['Apt', 1],
        ['Apt.', 1],
        ['Unit', 1],
        ['Maisonette', 0.4],
        ['Suite', 0.3],
      ])} ${number}`
    : '';
  const post = random.chance(0.75)
    ? `${random.pick(UK_POST)}${random.integer(1, 28)} ${random.integer(1, 9)}${random.pick(words('AA|AB|BD|EF|GH|HJ|JL|LN|NP|QR|RS|TU|UW|XY|ZZ|DE'))}`
    : '';
  const named = !isFlat && random.chance(0.12) ? buildingName(random) : '';
  const tail = join([town, county], ', ');
  const line = join(
    [
      flat,
      blockName,
      named,
      `${house}${random.chance(0.1) ? ',' : ''} ${street}`,
      village,
      random.chance(0.5) ? join([tail, post], ' ') : join([tail, post], ', '),
    ],
    ', ',
  );
  return {
    address: {
      region: county,
      district: village,
      city: town,
      street,
      house: random.chance(0.2) ? `No. ${house}` : house,
      block: blockName,
      flat,
    },
    bare: {
      region: county,
      district: village,
      city: town,
      street: random.chance(0.7) ? street : street.replace(/ [^ ]+$/, ''),
      house,
      block: blockName.replace(/^Block /, ''),
      flat: isFlat ? number : '',
    },
    text: line,
  };
}

function americanAddress(random, isFlat) {
  const [state, code] = random.pick(US_STATES);
  const county = random.chance(0.7) ? random.pick(US_COUNTIES) : pseudoTown(random);
  const town = random.chance(0.45) ? random.pick(US_TOWNS) : pseudoTown(random);
  const house = String(random.integer(1, random.pick([99, 999, 9999, 19_999])));
  const side = random.chance(0.2) ? `${random.pick(words('N|S|E|W|N.|S.|NE|SW|North|East'))} ` : '';
  const street =
    side +
    (random.chance(0.2) ? `${random.integer(2, 98) * 10 + 4}th` : streetName(random)) +
    ` ${random.pick(US_STREETS)}`;
  const number = flatNumber(random);
  const flat = isFlat
    ? random.weighted([
        [`Apt ${number}`, 4],
        [`Apt. ${number}`, 3],
        [`Unit ${number}`, 3],
        [`#${number}`, 2],
        [`Suite ${number}`, 1],
        [`No. ${number}`, 1],
      ])
    : '';
  const blockName =
    isFlat && random.chance(0.2)
      ? `${random.pick(['Bldg', 'Building', 'Bldg.'])} ${random.pick([random.pick(LETTERS), String(random.integer(1, 12))])}`
      : '';
  const zip = String(random.integer(10_000, 99_700)) + (random.chance(0.15) ? `-${random.integer(1000, 9999)}` : '');
  const isShort = random.chance(0.8);
  const line = join(
    [
      `${house} ${street}${flat && random.chance(0.4) ? ',' : ''} ${join([blockName, flat])}`.trim(),
      town,
      random.chance(0.15) ? `${county} County` : '',
      join([isShort ? code : state, random.chance(0.85) ? zip : '']),
    ],
    ', ',
  );
  return {
    address: {
      region: isShort ? code : state,
      district: random.chance(0.6) ? `${county} County` : `Co. of ${county}`,
      city: town,
      street,
      house,
      block: blockName,
      flat,
    },
    bare: {
      region: state,
      district: county,
      city: town,
      street,
      house,
      block: blockName.replace(/^\S+ /, ''),
      flat: isFlat ? number : '',
    },
    text: line,
  };
}

function irishAddress(random, isFlat) {
  const county = random.pick(IE_COUNTIES);
  const town = random.chance(0.45) ? random.pick(IE_TOWNS) : irishTown(random);
  const townland = random.chance(0.35) ? irishTown(random) : '';
  const house = houseNumber(random);
  const street = `${random.chance(0.5) ? streetName(random) : irishTown(random)} ${random.pick(UK_STREETS)}`;
  const number = flatNumber(random);
  const flat = isFlat ? `${random.pick(['Apartment', 'Apt.', 'Apt', 'Flat', 'Unit'])} ${number}` : '';
  const blockName =
    isFlat && random.chance(0.35) ? random.pick([`Block ${random.pick(LETTERS)}`, buildingName(random)]) : '';
  const code = random.chance(0.55)
    ? `${random.pick(words('D|A|C|E|F|H|K|N|P|R|T|V|W|X|Y'))}${random.integer(10, 98)} ${random.pick(words('A|C|D|E|F|H|K|N|P|R|T|V|W|X|Y'))}${random.integer(1, 9)}${random.pick(words('A2|C7|D5|E9|F4|H3|K8|NP|RX|TY'))}`
    : '';
  const region = random.chance(0.7) ? `Co. ${county}` : `County ${county}`;
  const isDublin = town === 'Dublin' && random.chance(0.8);
  const city = isDublin ? `Dublin ${random.integer(1, 24)}` : town;
  return {
    address: { region, district: townland, city, street, house, block: blockName, flat },
    bare: {
      region: county,
      district: townland,
      city,
      street,
      house,
      block: blockName.replace(/^Block /, ''),
      flat: isFlat ? number : '',
    },
    text: join([flat, blockName, `${house} ${street}`, townland, city, isDublin ? '' : region, code], ', '),
  };
}

function russianAddress(random, isFlat) {
  const root = random.pick(RUSSIAN_ROOTS);
  const regionBare = random.chance(0.6) ? random.pick(RUSSIAN_REGIONS) : root + random.pick(['ov', 'in', 'sk']);
  const hasRegion = random.chance(0.75);
  const hasDistrict = random.chance(0.45);
  const districtBare = russianStem(random) + random.pick(words('sky|ovsky|insky|evsky'));
  const cityBare = random.chance(0.4)
    ? random.pick(RUSSIAN_TOWNS)
    : random.pick([random.pick(RUSSIAN_ROOTS), russianStem(random)]) + random.pick(RUSSIAN_TOWN_ENDS);
  const streetBare = random.weighted([
    [random.pick(RUSSIAN_ROOTS) + random.pick(words('ovaya|naya|skaya|ovskaya|evaya')), 4],
    [russianStem(random) + random.pick(words('ova|eva|ina|skaya|ovskaya|enko')), 4],
    [
      random.pick(
        words(
          'Lenina|Gagarina|Mira|Pushkina|Sovetskaya|Pobedy|Kirova|Gorkogo|Chekhova|50 Let Oktyabrya|8 Marta|1st Parkovaya|3rd Zarechnaya|Tsvetnoy|Bolshaya Sadovaya',
        ),
      ),
      3,
    ],
  ]);
  const region = !hasRegion
    ? ''
    : `${regionBare} ${random.pick(['Region', 'Oblast', 'region', 'oblast', 'Obl.', 'Territory', 'Krai'])}`;
  const district = !hasDistrict
    ? ''
    : `${districtBare} ${random.pick(['District', 'district', 'Rayon', 'dist.', 'municipal district'])}`;
  const city = random.weighted([
    [`${cityBare}`, 4],
    [`city of ${cityBare}`, 3],
    [`town of ${cityBare}`, 2],
    [`g. ${cityBare}`, 1],
    [`${cityBare} settlement`, 1],
    [`village of ${cityBare}`, 1],
  ]);
  const street = random.weighted([
    [`${streetBare} Street`, 5],
    [`${streetBare} St.`, 4],
    [`${streetBare} str.`, 3],
    [`ul. ${streetBare}`, 3],
    [`${streetBare} Avenue`, 1],
    [`${streetBare} lane`, 1],
    [`${streetBare} Blvd`, 0.7],
    [`prospekt ${streetBare}`, 0.7],
    [`${streetBare} embankment`, 0.4],
  ]);
  const house = houseNumber(random);
  const houseText = random.weighted([
    [house, 2],
    [`house ${house}`, 3],
    [`bldg. ${house}`, 2],
    [`building ${house}`, 3],
    [`d. ${house}`, 2],
    [`No. ${house}`, 1],
    [`bld. ${house}`, 1],
  ]);
  const blockBare = random.chance(0.3) ? String(random.integer(1, 7)) : '';
  const block =
    blockBare && `${random.pick(['block', 'korp.', 'bldg', 'corpus', 'structure', 'stroenie', 'korpus'])} ${blockBare}`;
  const number = flatNumber(random);
  const flat = isFlat
    ? `${random.pick(['apt.', 'apartment', 'flat', 'kv.', 'apt', 'Apt.', 'premises'])} ${number}`
    : '';
  const zip = String(random.integer(101_000, 692_900));
  const parts = [region, district, city, street, houseText, block, flat];
  const text = random.chance(0.75)
    ? join([random.chance(0.3) ? zip : '', ...parts], ', ')
    : join([...parts.slice().reverse(), random.chance(0.5) ? zip : '', random.chance(0.4) ? 'Russia' : ''], ', ');
  return {
    address: { region, district, city, street, house: houseText, block, flat },
    bare: {
      region: hasRegion ? regionBare : '',
      district: hasDistrict ? districtBare : '',
      city: cityBare,
      street: streetBare,
      house,
      block: blockBare,
      flat: isFlat ? number : '',
    },
    text,
  };
}

const ADDRESSES = { uk: britishAddress, us: americanAddress, ie: irishAddress, ru: russianAddress };

// ---- Texts ----

const digits = (random, count) => Array.from({ length: count }, () => random.integer(0, 9)).join('');
const letters = (random, count) =>
  Array.from({ length: count }, () => random.pick([...'ABCDEFGHJKLMNPRSTUVWXYZ'])).join('');

const cadastralNumber = (random, country) =>
  random.weighted([
    [
      `${random.integer(10, 89)}:${digits(random, 2)}:${digits(random, random.pick([6, 7]))}:${random.integer(1, 99_999)}`,
      country === 'ru' ? 30 : 2,
    ],
    [`${letters(random, random.integer(1, 3))}${digits(random, random.integer(4, 7))}`, 6],
    [`${letters(random, 2)} ${digits(random, 6)}`, 2],
    [`${digits(random, 3)}-${digits(random, 3)}-${digits(random, 3)}`, 4],
    [`${digits(random, 2)}-${digits(random, 2)}-${digits(random, 3)}-${digits(random, 3)}.${digits(random, 3)}`, 2],
    [`${digits(random, 4)}-${digits(random, 3)}-${digits(random, 2)}`, 2],
    [`${random.integer(1, 400)}/${random.integer(1, 90)}/${random.integer(1, 99)}`, 1],
    [`Map ${random.integer(1, 99)} Lot ${random.integer(1, 200)}`, 1],
    [digits(random, random.integer(8, 14)), 3],
    [`${letters(random, 1)}-${digits(random, 5)}-${letters(random, 1)}`, 1],
    [`${digits(random, 10)}${letters(random, 2)}${digits(random, 4)}${letters(random, 1)}`, 1],
  ]);

const inventoryNumber = (random) =>
  random.weighted([
    [String(random.integer(1, 99_999)), 5],
    [digits(random, random.integer(5, 9)), 3],
    [`${random.integer(1, 999)}/${random.integer(1, 99)}`, 2],
    [`${letters(random, random.integer(1, 3))}-${digits(random, random.integer(3, 6))}`, 3],
    [`${letters(random, random.integer(2, 4))}/${digits(random, 4)}/${random.integer(1990, 2024)}`, 2],
    [`${digits(random, 2)}:${digits(random, 3)}:${digits(random, 3)}:${digits(random, 6)}`, 2],
    [`${digits(random, 4)}-${digits(random, 4)}-${digits(random, 4)}-${digits(random, 4)}`, 1],
    [`${random.integer(1, 9999)}-${random.integer(1, 99)}`, 2],
    [`${random.integer(1990, 2024)}-${digits(random, 5)}`, 1],
    [`UPRN ${digits(random, 11)}`, 0.6],
    [`${letters(random, 1)}${digits(random, 3)} ${letters(random, 1)}${digits(random, 2)}`, 0.6],
  ]);

const FLAT_PURPOSES = words(
  'Residential|residential|Dwelling|Flat|Apartment|Residential apartment|Self-contained flat|Residential premises|Private dwelling|Living quarters|Purpose-built flat|Converted flat|Maisonette|Studio flat|Condominium|Condominium unit|Residential condominium|Owner-occupied dwelling|Social rented flat|Sheltered housing|C3 Dwelling|Class C3 (dwellinghouses)|Use Class C3|Multi-family residential|Penthouse apartment|Co-operative apartment|habitable|living premises|Staff accommodation|Student accommodation',
);
const HOUSE_PURPOSES = words(
  'Residential|Dwelling house|Detached house|Semi-detached house|Mid-terrace house|End-of-terrace house|Bungalow|Dormer bungalow|Single-family residence|Single family dwelling|One-family|Two-family dwelling|Individual residential house|Residential building|Cottage|Farmhouse|Duplex|Townhouse|Private residence|Ranch|Country house|summer house|Garden house|R-1 residential|Multi-apartment residential building|House in multiple occupation|Guest house|Manse|Gate lodge|Vicarage',
);
const OTHER_PURPOSES = words(
  'Office|Offices|Retail|Shop|Shop and store|Non-residential|non-residential premises|Commercial|Warehouse|Workshop|Light industrial|Store|Public house|Restaurant|Surgery|Dental surgery|Nursery|School|Clinic|Hotel|Garage|Storage|Administrative|administrative and office use|Public building|Community hall|Library|Class E (commercial, business and service)|Use Class B8|Mixed use|Production|Laboratory|Bank branch|Hairdressing salon|Boiler house|Catering|Trading premises',
);

function purposeText(random, kind) {
  const base = random.pick(kind === 'flat' ? FLAT_PURPOSES : kind === 'house' ? HOUSE_PURPOSES : OTHER_PURPOSES);
  if (random.chance(0.08))
    return `${base}, ${random.pick(words('owner occupied|tenanted|vacant|leasehold|freehold|with ancillary storage|with garage|first letting|ancillary to main use|permanent occupation|seasonal use'))}`;
  if (random.chance(0.05)) return `${base} / ${random.pick(OTHER_PURPOSES).toLowerCase()}`;
  return base;
}

const FOUNDATIONS = [
  words(
    'concrete|reinforced concrete|mass concrete|brick|stone|rubble stone|precast concrete|poured concrete|in-situ concrete|cast-in-place concrete|concrete block|block|cinder block|fieldstone|limestone|granite|timber|rubble concrete|monolithic reinforced concrete|R.C.|r/c|RC',
  ),
  words(
    'strip|strip footings|trench fill|raft|raft slab|piles|bored piles|driven piles|pad|pad footings|slab|slab on grade|crawl space|full basement|footings|corbelled footings|blocks|posts|piers|stepped footings|piled with ground beams|foundation|',
  ),
];
const WALLS = words(
  'brick|solid brick|cavity brick|cavity brickwork|brick and block|concrete block|blockwork|stone|rubble stone|dressed sandstone|limestone ashlar|timber frame|wood frame|frame|log|squared logs|timber|reinforced concrete panels|precast concrete panels|large-panel|expanded-clay concrete panels|monolithic concrete|in-situ concrete|aerated concrete blocks|cinder blocks|silicate brick|ceramic brick|adobe|cob|steel frame|steel frame with curtain walling|flint and brick|clay brick|stock brickwork|Flemish bond brickwork|gas silicate blocks|slag concrete|no-fines concrete|SIPs|ICF|sandwich panels|pebbledashed brick|Cotswold stone|granite|concrete masonry units|CMU',
);
const WALL_ENDS = words(
  'rendered|pebbledashed|with stucco finish|with vinyl siding|aluminum siding|clapboard|brick veneer|painted render|tile hung|weatherboarded|clad in timber|faced with brick|plastered|roughcast|insulated|harled|under painted render|two and a half bricks thick|one and a half brick|300 mm|225 mm|51 cm|640 mm thick|to ground floor, timber frame above|with stone dressings|with cavity insulation|both sides plastered',
);
const PARTITIONS = words(
  'brick|timber|wooden|stud|timber stud|metal stud|plasterboard|plasterboard on timber studs|plasterboard on metal studs|drywall|drywall on wood studs|gypsum board|gypsum|gypsum blocks|gypsum concrete|blockwork|lightweight block|concrete block|100 mm blockwork|lath and plaster|plastered timber|glazed|glazed and stud|demountable|half-brick|reinforced concrete|concrete panels|hollow clay blocks|slag concrete panels|foam concrete|breeze block|clinker block|paramount board|tongue-and-groove boards|solid and stud|brick, plastered|timber, plastered|panel|none|steel mesh|studwork with acoustic quilt|strammit board|stud and plaster',
);
const FLOOR_MATERIALS = words(
  'reinforced concrete slabs|reinforced concrete|hollow-core slabs|precast concrete planks|precast concrete beam and block|beam and block|in-situ concrete slab|suspended timber|suspended timber joists|timber joists|timber joists and boards|wooden|wooden beams|timber on wooden beams|wood joists|wood truss|engineered I-joists|steel beams with brick arches|filler joist|concrete on metal deck|composite metal deck|composite slab|ribbed slabs|solid concrete|monolithic|monolithic reinforced concrete|waffle slab|flat slab|pot and beam|clay pot|R.C. panels|timber, plastered below|timber, insulated|steel joists|bar joist and deck|prestressed concrete|jack arch|post-tensioned slab|glulam beams|timber boarding on joists|r/c slabs|solid ground, timber upper',
);
const ROOFS = [
  words(
    'pitched|hipped|gable|gabled|flat|mansard|mono-pitched|double-pitched|dual pitch|lean-to|valley|combined|gambrel|hip|shed|built-up|',
  ),
  words(
    'slate|natural slate|clay tile|plain clay tiles|concrete interlocking tiles|concrete tile|asphalt shingle|asphalt shingles|architectural shingles|wood shingle|cedar shakes|felt|mineral felt|bituminous felt|built-up felt|mastic asphalt|single-ply membrane|EPDM|rolled roofing|roll roofing, three layers|tar and gravel|corrugated asbestos cement|asbestos cement sheets|corrugated iron|sheet steel|galvanized steel|galvanised steel sheets|standing seam metal|metal|metal tiles|lead|copper|zinc|thatch|pantiles|fibre cement slates|Welsh slate|green roof over membrane|profiled steel sheeting|ruberoid|stone slates|artificial slate|turnerised slate|Marley tiles|torch-on felt|liquid-applied coating',
  ),
];
const ROOF_ENDS = words(
  'on timber battens|on timber rafters|on rafters|on wood trusses|on trussed rafters|over boarding|on concrete deck|with internal drainage|over sarking felt|on purlins|with parapet|with lead flashings|to main, felt to rear|with dormers|on plywood sheathing|with gravel ballast',
);

/** A text as forms print it: with or without a capital. */
const cased = (random, text) => (random.chance(0.6) ? capital(text) : text);

function construction(random, year) {
  const foundation = join([random.pick(FOUNDATIONS[0]), random.chance(0.75) ? random.pick(FOUNDATIONS[1]) : '']);
  const wall =
    random.pick(WALLS) +
    (random.chance(0.35) ? `${random.chance(0.5) ? ',' : ''} ${random.pick(WALL_ENDS)}` : '') +
    (random.chance(0.07) ? ` and ${random.pick(WALLS)}` : '');
  const partitions =
    random.pick(PARTITIONS) +
    (random.chance(0.12) ? random.pick([', ', ' and ', '; ', ' / ']) + random.pick(PARTITIONS.slice(0, 12)) : '');
  const floors =
    random.pick(FLOOR_MATERIALS) +
    (random.chance(0.1)
      ? random.pick([
          ' over basement',
          ' throughout',
          ', sound',
          ', good condition',
          ' with screed',
          ' to all floors',
          ' (assumed)',
        ])
      : '');
  const roof = join([
    random.chance(0.6) ? random.pick(ROOFS[0]) : '',
    random.pick(ROOFS[1]),
    random.chance(0.3) ? random.pick(ROOF_ENDS) : '',
  ]).replace(/^(pitched|hipped|gabled?|flat|mansard|combined|shed) /, random.chance(0.25) ? '$1, ' : '$1 ');
  return {
    foundation: cased(random, foundation),
    wall_material: cased(random, wall),
    partitions: cased(random, partitions),
    floors_material: cased(random, floors),
    roof: cased(random, roof),
    wear_percent: Math.max(1, Math.min(85, Math.round((2026 - year) * 0.4) + random.integer(-8, 12))),
  };
}

const firm = (random) => {
  const name = random.weighted([
    [pseudoSurname(random), 4],
    [pseudoWord(random, 2), 4],
    [random.pick(SURNAMES), 3],
    [pseudoTown(random), 2],
  ]);
  const second = random.chance(0.3)
    ? ` ${random.pick(['&', 'and'])} ${random.pick([random.pick(SURNAMES), pseudoSurname(random), 'Partners', 'Sons', 'Co'])}`
    : '';
  return name + second;
};

const issuerText = (random, country, address) => {
  const town = address.city.replace(/^(city|town|village) of |^g\. | settlement$/g, '');
  const place = random.chance(0.5) ? town : pseudoTown(random);
  const county = address.bareDistrict || pseudoTown(random);
  if (country === 'ru') {
    return random.pick([
      `${place} Bureau of Technical Inventory`,
      `BTI of ${place}`,
      `${place} BTI`,
      `Bureau of Technical Inventory of the city of ${place}`,
      `State Unitary Enterprise "${place} BTI"`,
      `SUE "Centre for Technical Inventory", ${place} branch`,
      `FSUE "Rostekhinventarizatsiya – Federal BTI", ${place} branch`,
      `Municipal Unitary Enterprise Bureau of Technical Inventory`,
      `Federal Cadastral Chamber, ${place} office`,
      `${place} District Office of Technical Inventory No. ${random.integer(1, 20)}`,
      `LLC "${russianStem(random)}${random.pick(['geo', 'kadastr', 'proekt', 'stroy'])}"`,
      `${place} Territorial Bureau No. ${random.integer(1, 9)}`,
      `OGUP "Regional Centre of Technical Inventory and Cadastre"`,
    ]);
  }
  if (country === 'us') {
    return random.pick([
      `${county} County Assessor`,
      `${county} County Assessor's Office`,
      `Office of the Assessor, ${county} County`,
      `Town of ${place} Assessing Department`,
      `City of ${place}, Department of Assessments`,
      `${county} County Auditor`,
      `${county} Central Appraisal District`,
      `${county} County Property Appraiser`,
      `Board of Assessors, ${place}`,
      `City of ${place} Building Department`,
      `${firm(random)} Appraisal Services, Inc.`,
      `${firm(random)} Valuation Group LLC`,
      `${place} Housing Authority`,
      `${county} County Equalization Dept.`,
      `${firm(random)} Home Inspections`,
    ]);
  }
  return random.pick([
    `${firm(random)} Chartered Surveyors`,
    `${firm(random)} LLP`,
    `${firm(random)} Surveyors Ltd`,
    `${firm(random)} Property Consultants`,
    `${place} Borough Council`,
    `${place} City Council, Housing Services`,
    `${place} District Council Building Control`,
    `Valuation Office Agency, ${place}`,
    `Valuation Office`,
    `${firm(random)} Housing Association`,
    `${firm(random)} Estate Agents`,
    `${firm(random)} Building Surveying`,
    `${place} Homes, Asset Management Team`,
    `${firm(random)} Energy Assessors Ltd`,
    `Tailte Éireann, ${place} Office`,
    `Land Registry, ${place} Office`,
    `HM Land Registry ${place} Office`,
    `${firm(random)} Auctioneers & Valuers`,
    `${place} County Council`,
    `Office of the District Valuer, ${place}`,
    `${firm(random)} Measured Surveys`,
    `${firm(random)} Architects`,
  ]);
};

function ownerText(random, country) {
  const isRussian = country === 'ru';
  const one = personName(random, isRussian);
  const surname = one.split(' ').pop();
  if (isRussian) {
    const [given, middle, last] = one.split(' ');
    const full = random.chance(0.7) ? `${last} ${given} ${middle}` : one;
    return random.weighted([
      [full, 9],
      [`${full}, ${random.pick(['1/2 share', '1/3 share', 'joint ownership', 'private ownership', 'sole owner'])}`, 2],
      [`${full}; ${personName(random, true)}`, 1],
      [`LLC "${russianStem(random)}${random.pick(['invest', 'stroy', 'torg', 'dom', ''])}"`, 2],
      [`JSC "${russianStem(random)}"`, 1],
      [`Municipality of ${russianStem(random)}sk`, 1],
      ['Municipal property', 0.7],
      ['Russian Federation', 0.5],
      [`Administration of the ${russianStem(random)}sky District`, 0.8],
      [`Housing co-operative "${random.pick(RUSSIAN_ROOTS)}ny-${random.integer(1, 9)}"`, 0.6],
    ]);
  }
  const parts = one.split(' ');
  return random.weighted([
    [one, 8],
    [`${random.pick(['Mr', 'Mrs', 'Ms', 'Miss', 'Dr', 'Mr.', 'Mrs.', 'Ms.'])} ${one}`, 4],
    [`${random.pick(['Mr & Mrs', 'Mr and Mrs', 'Mr. & Mrs.'])} ${parts[0][0]} ${surname}`, 2],
    [`${parts[0]} and ${random.pick(GIVEN)} ${surname}`, 2],
    [`${surname}, ${parts.slice(0, -1).join(' ')}`, 2],
    [`${surname.toUpperCase()} ${parts[0].toUpperCase()}`, 1.5],
    [`${surname} ${parts[0]} & ${random.pick(GIVEN)}`, 1],
    [
      `${firm(random)} ${random.pick(['Ltd', 'Limited', 'LLC', 'Inc.', 'plc', 'PLC', 'LLP', 'Corp.', 'Properties Ltd', 'Estates Limited', 'Investments LLC', 'DAC', 'Holdings'])}`,
      5,
    ],
    [
      `${firm(random)} ${random.pick(['Housing Association', 'Housing Trust', 'Homes', 'Family Trust', 'Living Trust', 'Pension Fund', 'Charitable Trust'])}`,
      2,
    ],
    [`Executors of ${one}`, 0.7],
    [`Trustees of ${firm(random)}`, 0.7],
    [
      `${pseudoTown(random)} ${random.pick(['Borough Council', 'City Council', 'District Council', 'County Council', 'Housing Authority', 'Diocese'])}`,
      1.5,
    ],
    [`Estate of ${one}`, 0.5],
    [`${one} (${random.pick(['50%', '1/2', 'sole proprietor', 'freeholder', 'leaseholder', 'deceased'])})`, 0.8],
  ]);
}

const NOTE_SUBJECTS = words(
  'The rear extension|The loft conversion|The conservatory|Bathroom and WC|The garage|The balcony|The partition between rooms 2 and 3|The kitchen|An outbuilding in the yard|The porch|The glazed loggia|The basement|The doorway between kitchen and hall|The attic room|The boiler cupboard|A former chimney breast|The side annexe|The mezzanine|The bay window|The utility room|The internal staircase',
);
const NOTE_VERBS = words(
  'has been erected without building regulations consent|was not inspected|is excluded from the floor area|was added after the original construction|has been removed|was altered without permit|is included in the total area|is in poor condition|was converted to a bedroom|is shared with the adjoining property|was not accessible on the day of inspection|has no planning permission on file|shows signs of damp|has been combined with the adjacent room|is not heated|is under repair|has been demolished|is of lightweight construction|does not correspond to the approved drawings|was measured from outside|was bricked up|is reckoned at half of its area',
);
const NOTE_REST = words(
  "No unauthorised alterations were found.|No alterations noted|Re-planning not recorded.|none|None.|Nil|Areas recalculated after re-measurement.|Subject to confirmation by solicitors.|Unauthorised re-planning has been carried out.|Measured to internal wall faces.|Slight cracking to the rear elevation.|Property vacant at the time of inspection.|Tenant present during the survey.|Replaces the certificate issued earlier.|See plan attached.|Permit for alterations not presented.|Area changed due to removal of stoves.|Access to the roof void was not available.|Listed Grade II.|Property lies in a conservation area.|Windows replaced with uPVC double glazing.|Services not tested.|Copy issued on request of the owner.|Data taken from the owner's declaration.|Flat roof nearing the end of its life.|Boundaries to be verified on site.|Kitchen refitted, no change of layout.|Shared driveway.|Sketch not to scale.|Change of address: formerly listed under the adjoining street.",
);

function noteText(random) {
  const sentence = () => {
    if (random.chance(0.5)) return random.pick(NOTE_REST);
    const end = random.chance(0.3)
      ? ` ${random.pick(['since the last survey', `in ${random.integer(1970, 2020)}`, `(${format.area(random.integer(12, 300) / 10, random)} ${random.pick(['sq m', 'm²'])})`, 'by the present owner', 'according to the tenant', `see sheet ${random.integer(2, 6)}`])}`
      : '';
    return `${random.pick(NOTE_SUBJECTS)} ${random.pick(NOTE_VERBS)}${end}${random.chance(0.85) ? '.' : ''}`;
  };
  return Array.from(
    {
      length: random.weighted([
        [1, 6],
        [2, 3],
        [3, 1],
      ]),
    },
    sentence,
  ).join(' ');
}

// ---- Rooms ----

const LIVING_ROOMS = words(
  "Living room|Lounge|Bedroom|Bedroom|Bedroom 1|Bedroom 2|Bedroom 3|Master bedroom|Double bedroom|Single bedroom|Dining room|Sitting room|Study|Family room|Reception room|Drawing room|Guest bedroom|Bed 1|Bed 2|Bed. 3|living|living room|bedroom|Nursery|Den|Playroom|Bedsit|Parlour|Great room|Home office|Library|Room|Habitable room|Sleeping room|Principal bedroom|Children's room|Rec room|Bonus room|L.R.|BR 1|BR 2|Living/Dining|Morning room|Snug|Dormitory",
);
const AUXILIARY_ROOMS = words(
  'Kitchen|Kitchen|Bathroom|Bathroom|Hall|Hallway|WC|W.C.|Corridor|Entrance hall|Landing|Utility room|Utility|Store|Storage|Cupboard|Larder|Pantry|Lobby|Toilet|Shower room|En suite|En-suite|Ensuite|Closet|Walk-in closet|Laundry|Vestibule|Foyer|Boiler room|Porch|Loggia|Balcony|Cloakroom|Mud room|Half bath|Full bath|Stairs|Staircase|Passage|kitchen|bathroom|corridor|toilet|hall|closet|built-in cupboard|wardrobe|Combined bathroom|Dressing room|Airing cupboard|Cellar|Garage|Conservatory|Verandah|Kitchenette|Scullery|Powder room|Bath|Kit.|Kitchen/Diner|Breakfast room|Ante-room|Tambour|Drying room|Linen store|Inner hall|Rear lobby|Understairs cupboard',
);
const MAIN_ROOMS = words(
  "Office|Office 1|Open plan office|Meeting room|Sales area|Sales floor|Shop floor|Trading hall|Workshop|Warehouse|Reception|Consulting room|Classroom|Treatment room|Showroom|Boardroom|Retail zone A|Bar|Dining hall|Interview room|Laboratory|Director's office|Accounts|Conference room|Studio|Archive|Packing area|Server room|Exam room 2|Surgery|Production area",
);
const SERVICE_ROOMS = words(
  "Corridor|Lobby|Store|WC|Male WC|Female WC|Accessible WC|Kitchenette|Tea point|Staff room|Plant room|Switch room|Cleaner's cupboard|Stair|Lift lobby|Boiler room|Cold store|Changing room|Shower|Waiting area|Loading bay|Vestibule|Electrical|Janitor|Mechanical|Vault|Utility|Passage|Restroom|Bin store|Comms cupboard|Wash-up|Meter cupboard",
);
const ROMAN = words('|I|II|III|IV|V|VI|VII|VIII|IX|X|XI|XII|XIII|XIV|XV|XVI|XVII|XVIII|XIX|XX');

/** Room numbers of one passport, by one scheme. */
function roomNumbers(random, floors) {
  const scheme = random.weighted([
    ['plain', 10],
    ['suffix', 4],
    ['floorDot', 2],
    ['slash', 2],
    ['roman', 1.5],
    ['padded', 1.5],
    ['hundreds', 2],
    ['letter', 1],
    ['prefix', 1.5],
    ['dotted', 0.7],
    ['restart', 1.5],
    ['dot', 1],
  ]);
  const flat = random.integer(1, 99);
  const prefix = random.pick(words('R|Rm |P|A|B-|R-|F|No. '));
  const perFloor = new Map();
  let next = 0;
  return floors.map((floor, index) => {
    const onFloor = (perFloor.get(floor) ?? 0) + 1;
    perFloor.set(floor, onFloor);
    const level = floor === 1 ? 'G' : floor < 1 ? 'B' : String(floor - 1);
    if (scheme === 'suffix') {
      if (next > 0 && random.chance(0.25)) return `${next}${random.pick(words('a|b|A'))}`;
      next += 1;
      return String(next);
    }
    if (scheme === 'floorDot') return `${level}.${String(onFloor).padStart(flat % 2 ? 1 : 2, '0')}`;
    if (scheme === 'slash') return flat % 3 ? `${flat}/${index + 1}` : `${floor}/${onFloor}`;
    if (scheme === 'roman') return ROMAN[index + 1] ?? String(index + 1);
    if (scheme === 'padded') return String(index + 1).padStart(2, '0');
    if (scheme === 'hundreds') return String(Math.max(floor, 0) * 100 + onFloor);
    if (scheme === 'letter') return String.fromCharCode((flat % 2 ? 65 : 97) + index);
    if (scheme === 'prefix') return `${prefix}${index + 1}`;
    if (scheme === 'dotted') return `${floor}.${onFloor}`;
    if (scheme === 'restart') return String(onFloor);
    return scheme === 'dot' ? `${index + 1}.` : String(index + 1);
  });
}

function roomList(random, kind, storeys, floor, height) {
  const count =
    kind === 'flat'
      ? random.weighted([
          [random.integer(3, 6), 3],
          [random.integer(5, 10), 5],
          [random.integer(9, 14), 1],
        ])
      : random.integer(4, 20);
  const decimals = random.chance(0.7) ? 10 : 100;
  const levels = kind === 'flat' ? (random.chance(0.06) ? 2 : 1) : Math.min(storeys, random.integer(1, 3));
  const first = kind === 'flat' ? floor : kind === 'house' && random.chance(0.12) ? 0 : 1;
  const floors = Array.from({ length: count }, (_, index) => first + Math.floor((index * levels) / count));
  const numbers = roomNumbers(random, floors);
  const [main, service] = kind === 'other' ? [MAIN_ROOMS, SERVICE_ROOMS] : [LIVING_ROOMS, AUXILIARY_ROOMS];
  const isLower = random.chance(0.12);
  const isUpper = random.chance(0.08);
  return floors.map((level, index) => {
    const isLiving = index === 0 ? random.chance(0.3) : index === 1 || random.chance(0.45);
    const big = kind === 'other' ? 160 : 28;
    const area =
      (isLiving
        ? random.integer(7 * decimals, big * decimals)
        : random.chance(0.4)
          ? random.integer(decimals * 0.6, 4 * decimals)
          : random.integer(2 * decimals, 14 * decimals)) / decimals;
    let name = random.chance(0.02) ? `${pseudoWord(random, 2)} room` : random.pick(isLiving ? main : service);
    if (isLower) name = name.toLowerCase();
    if (isUpper) name = name.toUpperCase();
    const ceiling = random.chance(0.85) ? height : Math.round((height + random.integer(-30, 30) / 100) * 100) / 100;
    return {
      no: numbers[index],
      name,
      area,
      living_area: isLiving ? area : null,
      auxiliary_area: isLiving ? null : area,
      height: ceiling,
      floor: level,
    };
  });
}

const sum = (rooms, key) => Math.round(rooms.reduce((total, room) => total + (room[key] ?? 0), 0) * 100) / 100;

// ---- Facts ----

/** The habits of a page (decimal sign, date form and so on). A new one begins with every `generateFacts`. */
const habits = new WeakMap();

function newHabits(random, country) {
  const habit = {
    country,
    comma: random.chance(country === 'ru' ? 0.3 : 0.04),
    places: random.weighted([
      ['natural', 6],
      ['two', 3],
      ['short', 1],
    ]),
    thousands: random.weighted([
      [',', 7],
      ['', 2],
      [' ', 1],
    ]),
    date: random.integer(0, 999),
    money: random.integer(0, 999),
    currency: random.weighted(
      country === 'us'
        ? [
            ['$', 9],
            ['USD', 1],
          ]
        : country === 'ru'
          ? [
              ['RUB', 8],
              ['$', 0.5],
            ]
          : country === 'ie'
            ? [
                ['€', 9],
                ['EUR', 1],
              ]
            : [
                ['£', 9],
                ['GBP', 1],
              ],
    ),
  };
  habits.set(random, habit);
  return habit;
}

const habitOf = (random) => habits.get(random) ?? newHabits(random, random.pick(['uk', 'us', 'ie', 'ru']));

const isoDate = (random, from, to) =>
  `${random.integer(from, to)}-${String(random.integer(1, 12)).padStart(2, '0')}-${String(random.integer(1, 28)).padStart(2, '0')}`;

/**
 * The facts of one passport. An absent address part is '', an absent number is null.
 *
 * @param {Random} random
 */
export function generateFacts(random) {
  const country = random.weighted([
    ['uk', 4],
    ['us', 2.5],
    ['ie', 1.2],
    ['ru', 3],
  ]);
  newHabits(random, country);
  const kind = random.weighted([
    ['flat', 6],
    ['house', 4],
    ['other', 1.5],
  ]);
  const isFlat = kind === 'flat' || (kind === 'other' && random.chance(0.5));
  const { address, bare, text } = ADDRESSES[country](random, isFlat);
  const floors =
    kind === 'house'
      ? random.weighted([
          [1, 4],
          [2, 6],
          [3, 2],
          [4, 0.4],
        ])
      : random.weighted([
          [random.integer(2, 5), 5],
          [random.integer(4, 12), 4],
          [random.integer(9, 30), 2],
          [1, kind === 'other' ? 2 : 0],
        ]);
  const floor = isFlat ? random.integer(kind === 'other' && random.chance(0.2) ? 0 : 1, floors) : null;
  const year = random.weighted([
    [random.integer(1850, 1918), 2],
    [random.integer(1919, 1959), 3],
    [random.integer(1960, 1999), 6],
    [random.integer(2000, 2023), 3],
  ]);
  const height =
    random.weighted([
      [random.integer(44, 62) * 5, 6],
      [random.integer(218, 330), 4],
      [random.integer(60, 84) * 5, 1],
    ]) / 100;
  const rooms = roomList(random, kind, floors, floor ?? 1, height);
  const rate = random.integer(200, 5200);
  const total = sum(rooms, 'area');
  const value = total * rate * (country === 'ru' ? random.pick([1, 8, 20]) : 1);
  const isRussian = country === 'ru';
  return {
    lang: 'en',
    country,
    kind,
    address,
    bare,
    address_text: text,
    cadastral_number: cadastralNumber(random, country),
    inventory_number: inventoryNumber(random),
    purpose: purposeText(random, kind),
    year_built: year,
    floors,
    floor,
    inventory_value: random.chance(isRussian ? 0.2 : 0.75)
      ? Math.round(value / 500) * 500 + (random.chance(0.3) ? random.integer(1, 499) : 0)
      : Math.round(value * 100) / 100,
    issue_date: isoDate(random, Math.max(1965, year + 1), 2025),
    issuer: issuerText(random, country, { city: address.city, bareDistrict: country === 'us' ? bare.district : '' }),
    owner: ownerText(random, country),
    head: personName(random, isRussian),
    technician: personName(random, isRussian),
    areas: {
      total_area: total,
      living_area: sum(rooms, 'living_area') || null,
      auxiliary_area: sum(rooms, 'auxiliary_area') || null,
      ceiling_height: height,
    },
    construction: construction(random, year),
    note: noteText(random),
    rooms,
  };
}

// ---- Print ----

const MONTHS = words('January|February|March|April|May|June|July|August|September|October|November|December');
const ONES = words(
  'zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen',
);
const TENS = words('||twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety');
const ORDINALS = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** A whole number in words. */
function inWords(number) {
  if (number < 20) return ONES[number];
  if (number < 100) return TENS[Math.floor(number / 10)] + (number % 10 ? `-${ONES[number % 10]}` : '');
  if (number < 1000)
    return `${ONES[Math.floor(number / 100)]} hundred${number % 100 ? ` and ${inWords(number % 100)}` : ''}`;
  for (const [size, name] of [
    [1_000_000_000, 'billion'],
    [1_000_000, 'million'],
    [1000, 'thousand'],
  ]) {
    if (number < size) continue;
    const rest = number % size;
    return `${inWords(Math.floor(number / size))} ${name}${rest ? `${rest < 100 ? ' and' : ''} ${inWords(rest)}` : ''}`;
  }
  return String(number);
}

function ordinalWord(number) {
  const text = inWords(number);
  const last = text.split(/[- ]/).pop();
  const ordinal = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return text.slice(0, text.length - last.length) + ordinal;
}

const ordinal = (number) =>
  number + (number % 100 > 10 && number % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th'));

const thousands = (digitsText, separator) => digitsText.replace(/\B(?=(\d{3})+$)/g, separator);

function decimal(n, places, separator, comma) {
  const [whole, rest] = (places === undefined ? String(n) : n.toFixed(places)).split('.');
  return thousands(whole, comma && separator === ',' ? ' ' : separator) + (rest ? (comma ? ',' : '.') + rest : '');
}

const isAbsent = (value) => value === null || value === undefined || value === '';

const DATES = [
  [5, (y, m, d) => `${two(d)}/${two(m)}/${y}`],
  [3, (y, m, d) => `${d} ${MONTHS[m - 1]} ${y}`],
  [3, (y, m, d) => `${MONTHS[m - 1]} ${d}, ${y}`],
  [2, (y, m, d) => `${two(d)}-${MONTHS[m - 1].slice(0, 3)}-${String(y).slice(2)}`],
  [2, (y, m, d) => `${two(d)}.${two(m)}.${y}`],
  [2, (y, m, d) => `${ordinal(d)} ${MONTHS[m - 1]} ${y}`],
  [2, (y, m, d) => `${y}-${two(m)}-${two(d)}`],
  [1.5, (y, m, d) => `${d}/${m}/${String(y).slice(2)}`],
  [1.5, (y, m, d) => `${two(d)} ${MONTHS[m - 1].slice(0, 3)} ${y}`],
  [1, (y, m, d) => `${two(d)}-${MONTHS[m - 1].slice(0, 3).toUpperCase()}-${y}`],
  [1, (y, m, d) => `${MONTHS[m - 1].slice(0, 3)}. ${d}, ${y}`],
  [0.7, (y, m, d) => `${ordinalWord(d)} day of ${MONTHS[m - 1]} ${y}`],
  [0.7, (y, m, d) => `${ordinal(d)} of ${MONTHS[m - 1]}, ${y}`],
  [0.6, (y, m, d) => `"${two(d)}" ${MONTHS[m - 1]} ${y}`],
  [0.5, (y, m, d) => `${two(d)}-${two(m)}-${y}`],
  [0.5, (y, m, d) => `${two(d)}.${two(m)}.${String(y).slice(2)}`],
  [0.4, (y, m, d) => `${two(d)} / ${two(m)} / ${y}`],
  [0.3, (y, m, d) => `this ${ordinal(d)} day of ${MONTHS[m - 1]}, ${y}`],
  [0.3, (y, m, d) => `${d} ${MONTHS[m - 1].toUpperCase()} ${y}`],
  [0.3, (y, m, d) => `“${d}” ${MONTHS[m - 1]} ${y}`],
];
const AMERICAN_DATES = [
  [5, (y, m, d) => `${two(m)}/${two(d)}/${y}`],
  [2, (y, m, d) => `${m}/${d}/${y}`],
  [1.5, (y, m, d) => `${m}/${d}/${String(y).slice(2)}`],
  [1, (y, m, d) => `${two(m)}-${two(d)}-${y}`],
  ...DATES.slice(1),
];
const two = (number) => String(number).padStart(2, '0');

/** An entry of a weighted table by a number from 0 to 999, so that one page keeps one form. */
function byHabit(table, number) {
  let left = (number / 1000) * table.reduce((total, [weight]) => total + weight, 0);
  for (const [weight, value] of table) {
    left -= weight;
    if (left < 0) return value;
  }
  return table.at(-1)[1];
}

const UNITS = {
  '£': ['pounds', 'pence'],
  GBP: ['pounds sterling', 'pence'],
  $: ['dollars', 'cents'],
  USD: ['US dollars', 'cents'],
  '€': ['euro', 'cent'],
  EUR: ['euro', 'cent'],
  RUB: ['roubles', 'kopecks'],
};
const split = (n) => [Math.floor(n + 1e-9), two(Math.round((n % 1) * 100) % 100)];
const MONEY = [
  [6, (n, c, t) => (n % 1 ? c + decimal(n, 2, t) : c + decimal(n, 0, t))],
  [4, (n, c, t) => c + decimal(n, 2, t)],
  [2, (n, _currency, t) => decimal(n, n % 1 ? 2 : 0, t)],
  [1.5, (n, _currency, t) => decimal(n, 2, t)],
  [1.5, (n, c, t) => `${decimal(n, 2, t)} ${c.trim()}`],
  [
    1,
    (n, c, t) =>
      `${decimal(split(n)[0], 0, t)} ${unitsOf(c)[0]}${split(n)[1] === '00' ? '' : ` ${split(n)[1]} ${unitsOf(c)[1]}`}`,
  ],
  [0.6, (n, c, t) => `${decimal(split(n)[0], 0, t)} ${unitsOf(c)[0]} ${split(n)[1]} ${unitsOf(c)[1]}`],
  [0.6, (n, c, t) => `${c}${decimal(split(n)[0], 0, t)} (${inWords(split(n)[0])} ${unitsOf(c)[0]})`],
  [0.4, (n, c) => `${capital(inWords(split(n)[0]))} ${unitsOf(c)[0]}`],
  [0.5, (n, c, t) => `${c}${decimal(split(n)[0], 0, t)}.00`],
  [0.4, (n, c, t) => `${c}${decimal(split(n)[0], 0, t)}/-`],
  [0.4, (n, _currency, t) => `${decimal(split(n)[0], 0, t)}-${split(n)[1]}`],
];
const unitsOf = (currency) => UNITS[currency.trim()] ?? ['', ''];

/** Metres as feet and inches. */
function feetOf(metres) {
  const total = Math.round(metres / 0.0254);
  const [feet, inches] = [Math.floor(total / 12), total % 12];
  return [`${feet}'-${inches}"`, `${feet}' ${inches}"`, `${feet}′${inches}″`, `${feet} ft ${inches} in`, `${feet} ft`];
}

const FLOOR_NAMES = { '-1': ['Basement', 'Lower ground', 'LG'], 0: ['Ground', 'G', 'Gr', 'ground floor', '0'] };
const POST_NOMINALS = words(
  'MRICS|FRICS|BSc MRICS|BSc (Hons) MRICS|AssocRICS|MSCSI MRICS|MCIOB|RIBA|SRA|MAI|P.E.|CAE|AIC|DipSurv|MCABE|PLS|Dip. Surv. ARICS|MAAO|R.A.',
);

/** The ways in which forms print values. An absent value prints as ''. */
export const format = {
  area(n, random) {
    if (isAbsent(n)) return '';
    const habit = habitOf(random);
    const natural = Number.isInteger(Math.round(n * 1000) / 100) ? 1 : 2;
    const places = habit.places === 'two' ? 2 : habit.places === 'short' ? undefined : natural;
    const plain = decimal(n, places, habit.thousands, habit.comma);
    return random.weighted([
      [plain, 20],
      [`${plain} ${random.pick(['m²', 'sq m', 'sq. m', 'm2', 'square metres'])}`, 1.5],
      [
        `${decimal(Math.round(n * 10.764), 0, habit.thousands)} ${random.pick(['sq ft', 'sq. ft', 'ft²', 'SF', 'square feet'])}`,
        1.5,
      ],
    ]);
  },
  money(n, random) {
    if (isAbsent(n)) return '';
    const habit = habitOf(random);
    const number = random.chance(0.7) ? habit.money : random.integer(0, 999);
    const currency = habit.currency.length > 1 || random.chance(0.05) ? `${habit.currency} ` : habit.currency;
    return byHabit(MONEY, number)(n, currency, habit.thousands);
  },
  date(iso, random) {
    if (isAbsent(iso)) return '';
    const habit = habitOf(random);
    const [year, month, day] = iso.split('-').map(Number);
    const number = random.chance(0.75) ? habit.date : random.integer(0, 999);
    return byHabit(habit.country === 'us' ? AMERICAN_DATES : DATES, number)(year, month, day);
  },
  year: (n, random) =>
    isAbsent(n)
      ? ''
      : random.weighted([
          [String(n), 20],
          [`c. ${n}`, 1],
          [`circa ${n}`, 1],
          [`c.${n}`, 0.6],
          [`${n} (est.)`, 0.5],
          [`approx. ${n}`, 0.4],
          [`year ${n}`, 0.3],
          [`${n} yr`, 0.1],
        ]),
  storeys: (n, random) =>
    isAbsent(n)
      ? ''
      : random.weighted([
          [String(n), 16],
          [inWords(n), 1.5],
          [capital(inWords(n)), 1.5],
          [`${n} ${n === 1 ? 'storey' : 'storeys'}`, 1],
          [`${n} (${inWords(n)})`, 1],
          [`${n}.0`, 0.4],
          [two(n), 0.4],
          [`${n}${n === 1 ? ' floor' : ' floors'}`, 0.5],
          [`${n}-storey`, 0.5],
          [`${capital(inWords(n))}-storey`, 0.3],
          [n < 11 ? ROMAN[n] : String(n), 0.3],
        ]),
  floor(n, random) {
    if (isAbsent(n)) return '';
    if (n <= 0) return random.pick(FLOOR_NAMES[Math.max(n, -1)]);
    return random.weighted([
      [String(n), 10],
      [ordinal(n), 4],
      [ordinalWord(n), 2],
      [capital(ordinalWord(n)), 1.5],
      [n <= 20 ? ROMAN[n] : String(n), 0.6],
      [two(n), 0.4],
      [`${n} (${ordinalWord(n)})`, 0.4],
      [`${capital(ordinalWord(n))} floor`, 0.6],
      [`Level ${n}`, 0.3],
      [`${ordinal(n)} floor`, 0.4],
    ]);
  },
  percent: (n, random) =>
    isAbsent(n)
      ? ''
      : random.weighted([
          [`${n}%`, 10],
          [String(n), 7],
          [`${n} %`, 3],
          [`${n} per cent`, 0.7],
          [`${n} percent`, 0.6],
          [`${n}.0%`, 0.6],
          [`${n}.0`, 0.3],
          [`${n} p.c.`, 0.2],
          [`${n}% (${inWords(n)} per cent)`, 0.2],
        ]),
  height(n, random) {
    if (isAbsent(n)) return '';
    const { comma } = habitOf(random);
    const plain = decimal(n, 2, '', comma);
    return random.weighted([
      [plain, 12],
      [decimal(n, undefined, '', comma), 6],
      [`${plain} m`, 2],
      [`${plain}m`, 1.5],
      [`${Math.round(n * 1000)} mm`, 0.5],
      [String(Math.round(n * 1000)), 0.4],
      [`${Math.round(n * 100)} cm`, 0.3],
      [`${plain} metres`, 0.2],
      ...feetOf(n).map((text) => [text, 0.7]),
    ]);
  },
  /** A person, given as "Given Middle Surname". */
  person(name, random) {
    if (isAbsent(name)) return '';
    const particles = /^(.*?) ((?:de|van|St\.) .+)$/.exec(name);
    const parts = particles ? [...particles[1].split(' '), particles[2]] : name.split(' ');
    const surname = parts.pop();
    const [given, middle] = parts;
    const letter = (part) => (/^(Sh|Ch|Kh|Zh|Yu|Ya)/.test(part) && random.chance(0.2) ? part.slice(0, 2) : part[0]);
    const initials = [given, middle].filter(Boolean).map((part) => `${letter(part)}.`);
    if (/(ich|na)$/.test(middle ?? '') && random.chance(0.75)) {
      return random.weighted([
        [`${initials.join(' ')} ${surname}`, 4],
        [`${initials.join('')} ${surname}`, 4],
        [`${surname} ${initials.join('')}`, 5],
        [`${surname} ${initials.join(' ')}`, 3],
        [`${surname} ${given} ${middle}`, 3],
        [name, 2],
        [`/${surname} ${initials.join('')}/`, 0.5],
        [`(${initials.join('')} ${surname})`, 0.5],
        [`${surname}, ${initials.join(' ')}`, 0.5],
      ]);
    }
    const tail = random.chance(0.12) ? `${random.pick([' ', ', '])}${random.pick(POST_NOMINALS)}` : '';
    return (
      random.weighted([
        [name, 7],
        [`${given} ${surname}`, 4],
        [`${initials.join(' ')} ${surname}`, 4],
        [`${initials.join('').replaceAll('.', '')} ${surname}`, 2],
        [`${surname}, ${given}`, 1.5],
        [
          `${random.pick(['Mr', 'Mrs', 'Ms', 'Mr.', 'Ms.', 'Dr', 'Miss'])} ${initials[0].replace('.', random.pick(['', '.']))} ${surname}`,
          2,
        ],
        [`${surname} ${initials.join('')}`, 1],
        [name.toUpperCase(), 0.8],
        [`${surname.toUpperCase()} ${given}`, 0.5],
        [`${given[0]}${surname[0]} (${given} ${surname})`, 0.1],
      ]) + tail
    );
  },
};

// ---- Distractors ----

const PLACE = (random) =>
  random.weighted([
    [pseudoTown(random), 4],
    [random.pick(UK_TOWNS), 2],
    [`${streetName(random)} ${random.pick(UK_STREETS)}`, 3],
    [`${random.pick(['Ward', 'Zone', 'Tax district', 'Block', 'Sector', 'Area'])} ${random.integer(1, 40)}`, 2],
    [`${random.pick(US_COUNTIES)} County`, 1],
    [britishAddress(random, random.chance(0.3)).text, 1],
    [russianAddress(random, false).address.city, 1],
  ]);

const TEXT_ADJECTIVES = words(
  'good|fair|poor|average|satisfactory|central|mains|private|communal|individual|natural|painted|double glazed|single glazed|timber|uPVC|aluminium|steel|ceramic|gas-fired|electric|solid fuel|combined|open|hidden|partial|typical|standard|custom|mixed|original|renewed|part renewed|shared|detached|attached|plain|flush panel|softwood|hardwood|laminate',
);
const TEXT_NOUNS = words(
  'supply|condition|system|finish|boiler|radiators|heating|tiles|boards|carpet|linoleum|plaster|wallpaper|doors|casements|sash windows|wiring|drainage|sewer|septic tank|ventilation|flues|gutters|staircase|cladding|garage|parking|access|driveway|tenure|glazing|stove|heater|meter|lift|entry phone|alarm',
);

/**
 * The text of a value of something that is not a field.
 *
 * @param {string} kind
 * @param {Random} random
 */
export function distract(kind, random) {
  switch (kind) {
    case 'year':
      return random.weighted([
        [String(random.integer(1880, 2025)), 12],
        [`c. ${random.integer(1900, 2015)}`, 1],
        [`${random.integer(1970, 2015)}/${two(random.integer(1, 99))}`, 0.6],
        [`${random.integer(190, 201)}0s`, 0.8],
      ]);
    case 'date':
      return format.date(isoDate(random, 1960, 2025), random);
    case 'area':
      return random.chance(0.08)
        ? `${(random.integer(2, 400) / 100).toFixed(2)} ${random.pick(['ha', 'acres', 'ac'])}`
        : format.area(random.integer(8, random.pick([300, 2000, 20_000])) / 10, random);
    case 'money':
      return format.money(
        random.chance(0.6) ? random.integer(4, 900) * 500 : random.integer(10_000, 90_000_000) / 100,
        random,
      );
    case 'percent':
      return format.percent(random.integer(1, 100), random);
    case 'number':
      return random.weighted([
        [inventoryNumber(random), 5],
        [String(random.integer(1, 200)), 4],
        [(random.integer(10, 3000) / 100).toFixed(2), 2],
        [(random.integer(5, 20) / 10).toFixed(1), 1],
        [`${random.integer(1, 99)} / ${random.integer(1, 99)}`, 0.5],
      ]);
    case 'count':
      return random.weighted([
        [String(random.integer(0, 12)), 10],
        [inWords(random.integer(1, 9)), 1.5],
        [capital(inWords(random.integer(1, 9))), 1],
        ['nil', 0.4],
        ['none', 0.3],
        [String(random.integer(10, 240)), 2],
      ]);
    case 'length':
      return random.weighted([
        [format.height(random.integer(180, 420) / 100, random), 3],
        [(random.integer(10, 400) / 10).toFixed(1), 3],
        [`${(random.integer(10, 900) / 10).toFixed(1)} m`, 2],
        [`${random.integer(90, 640)} mm`, 1.5],
        [`${random.integer(6, 40)}' ${random.integer(0, 11)}"`, 1],
      ]);
    case 'volume':
      return random.weighted([
        [String(random.integer(80, 4800)), 5],
        [thousands(String(random.integer(1000, 40_000)), ','), 2],
        [`${random.integer(80, 4800)} ${random.pick(['m³', 'cu m', 'm3', 'cu. m'])}`, 3],
      ]);
    case 'text':
      return random.weighted([
        [cased(random, `${random.pick(TEXT_ADJECTIVES)} ${random.pick(TEXT_NOUNS)}`), 5],
        [cased(random, random.pick(TEXT_ADJECTIVES)), 3],
        [cased(random, `${random.pick(TEXT_NOUNS)}, ${random.pick(TEXT_ADJECTIVES)}`), 2],
        [
          `${cased(random, random.pick(TEXT_ADJECTIVES))} ${random.pick(TEXT_NOUNS)} and ${random.pick(TEXT_ADJECTIVES)} ${random.pick(TEXT_NOUNS)}`,
          1.5,
        ],
        [random.pick(WALLS), 0.7],
        [`${pseudoWord(random, 2)} ${random.pick(TEXT_NOUNS)}`, 0.7],
      ]);
    case 'person':
      return random.chance(0.25)
        ? firm(random)
        : format.person(personName(random, habitOf(random).country === 'ru'), random);
    case 'place':
      return PLACE(random);
    case 'code':
      return random.weighted([
        [`${letters(random, random.integer(1, 3))}${random.integer(1, 999)}`, 4],
        [`${random.integer(1, 99)}-${letters(random, 1)}`, 2],
        [cadastralNumber(random, random.pick(['uk', 'us', 'ru'])), 3],
        [inventoryNumber(random), 2],
        [random.pick([...'ABCDEFG']), 1],
        [letters(random, random.integer(2, 4)), 1],
      ]);
    case 'yesno':
      return random.pick(
        words(
          'Yes|No|yes|no|Y|N|YES|NO|n/a|N/A|present|absent|available|none|✓|—|Not known|Provided|not provided|connected|not connected',
        ),
      );
    default:
      return random.pick(words('—|n/a|see plan|not recorded|unknown'));
  }
}
