"""The literature that each attack is from, for a review that cites it."""

from collections.abc import Mapping

from attrs import frozen


@frozen
class Reference:
    """A publication. `doi` is empty where it has none; then `url` says where it is."""

    key: str
    kind: str
    """What BibTeX calls it: article, inproceedings, book or misc."""
    author: str
    title: str
    venue: str
    year: int
    doi: str = ""
    url: str = ""

    def as_json(self) -> dict[str, str]:
        """The fields of the BibTeX entry, with its key and kind."""
        where = {"article": "journal", "book": "publisher", "misc": "howpublished"}.get(self.kind, "booktitle")
        fields = {
            "key": self.key,
            "kind": self.kind,
            "author": self.author,
            "title": self.title,
            where: self.venue,
            "year": str(self.year),
            "doi": self.doi,
            "url": self.url,
        }
        return {name: text for name, text in fields.items() if text}


_VLDB = "Proceedings of the VLDB Endowment"
_SP = "IEEE Symposium on Security and Privacy"
LQS = Reference(
    "li2012sampling",
    "inproceedings",
    "Li, Ninghui and Qardaji, Wahbeh and Su, Dong",
    "On sampling, anonymization, and differential privacy or, k-anonymization meets differential privacy",
    "ACM Symposium on Information, Computer and Communications Security (ASIACCS)",
    2012,
    doi="10.1145/2414456.2414474",
)
SWEENEY = Reference(
    "sweeney2002kanonymity",
    "article",
    "Sweeney, Latanya",
    "k-anonymity: a model for protecting privacy",
    "International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems",
    2002,
    doi="10.1142/S0218488502001648",
)
L_DIVERSITY = Reference(
    "machanavajjhala2007ldiversity",
    "article",
    "Machanavajjhala, Ashwin and Kifer, Daniel and Gehrke, Johannes and Venkitasubramaniam, Muthuramakrishnan",
    "l-diversity: privacy beyond k-anonymity",
    "ACM Transactions on Knowledge Discovery from Data",
    2007,
    doi="10.1145/1217299.1217302",
)
T_CLOSENESS = Reference(
    "li2007tcloseness",
    "inproceedings",
    "Li, Ninghui and Li, Tiancheng and Venkatasubramanian, Suresh",
    "t-closeness: privacy beyond k-anonymity and l-diversity",
    "IEEE International Conference on Data Engineering (ICDE)",
    2007,
    doi="10.1109/ICDE.2007.367856",
)
DINUR_NISSIM = Reference(
    "dinur2003revealing",
    "inproceedings",
    "Dinur, Irit and Nissim, Kobbi",
    "Revealing information while preserving privacy",
    "ACM Symposium on Principles of Database Systems (PODS)",
    2003,
    doi="10.1145/773153.773173",
)
_OTHERS: Mapping[str, tuple[Reference, ...]] = {
    "fingerprint": (
        Reference(
            "narayanan2008robust",
            "inproceedings",
            "Narayanan, Arvind and Shmatikov, Vitaly",
            "Robust de-anonymization of large sparse datasets",
            _SP,
            2008,
            doi="10.1109/SP.2008.33",
        ),
    ),
    "intersection": (
        Reference(
            "ganta2008composition",
            "inproceedings",
            "Ganta, Srivatsava Ranjit and Kasiviswanathan, Shiva Prasad and Smith, Adam",
            "Composition attacks and auxiliary information in data privacy",
            "ACM SIGKDD Conference on Knowledge Discovery and Data Mining",
            2008,
            doi="10.1145/1401890.1401926",
        ),
    ),
    "minimality": (
        Reference(
            "wong2007minimality",
            "inproceedings",
            "Wong, Raymond Chi-Wing and Fu, Ada Wai-Chee and Wang, Ke and Pei, Jian",
            "Minimality attack in privacy preserving data publishing",
            "International Conference on Very Large Data Bases (VLDB)",
            2007,
            url="https://www.vldb.org/conf/2007/papers/research/p543-wong.pdf",
        ),
        Reference(
            "cormode2010minimizing",
            "article",
            "Cormode, Graham and Srivastava, Divesh and Li, Ninghui and Li, Tiancheng",
            "Minimizing minimality and maximizing utility: analyzing method-based attacks on anonymized data",
            _VLDB,
            2010,
            doi="10.14778/1920841.1920972",
        ),
    ),
    "downcoding": (
        Reference(
            "cohen2022attacks",
            "inproceedings",
            "Cohen, Aloni",
            "Attacks on deidentification's defenses",
            "USENIX Security Symposium",
            2022,
            doi="10.48550/arXiv.2202.13470",
        ),
    ),
    "definetti": (
        Reference(
            "kifer2009attacks",
            "inproceedings",
            "Kifer, Daniel",
            "Attacks on privacy and deFinetti's theorem",
            "ACM SIGMOD International Conference on Management of Data",
            2009,
            doi="10.1145/1559845.1559861",
        ),
    ),
    "singling-out": (
        Reference(
            "cohen2020towards",
            "article",
            "Cohen, Aloni and Nissim, Kobbi",
            "Towards formalizing the GDPR's notion of singling out",
            "Proceedings of the National Academy of Sciences",
            2020,
            doi="10.1073/pnas.1914598117",
        ),
    ),
    "side-channels": (
        Reference(
            "prasser2020flexible",
            "article",
            "Prasser, Fabian and Eicher, Johanna and Spengler, Helmut and Bild, Raffael and Kuhn, Klaus A.",
            "Flexible data anonymization using ARX: current status and challenges ahead",
            "Software: Practice and Experience",
            2020,
            doi="10.1002/spe.2812",
        ),
    ),
    "guessing": (
        Reference(
            "odoh2024groupwise",
            "inproceedings",
            "Odoh, Kenneth",
            "Group-wise k-anonymity meets (epsilon, delta) differentially privacy scheme",
            "Companion Proceedings of the ACM Web Conference",
            2024,
            doi="10.1145/3589335.3651517",
        ),
    ),
    "background-knowledge": (
        L_DIVERSITY,
        Reference(
            "martin2007worst",
            "inproceedings",
            "Martin, David J. and Kifer, Daniel and Machanavajjhala, Ashwin and Gehrke, Johannes and Halpern, "
            "Joseph Y.",
            "Worst-case background knowledge for privacy-preserving data publishing",
            "IEEE International Conference on Data Engineering (ICDE)",
            2007,
            doi="10.1109/ICDE.2007.367858",
        ),
    ),
    "reconstruction": (
        DINUR_NISSIM,
        Reference(
            "garfinkel2019understanding",
            "article",
            "Garfinkel, Simson and Abowd, John M. and Martindale, Christian",
            "Understanding database reconstruction attacks on public data",
            "Communications of the ACM",
            2019,
            doi="10.1145/3287287",
        ),
    ),
    "differencing": (
        Reference(
            "denning1979tracker",
            "article",
            "Denning, Dorothy E. and Denning, Peter J. and Schwartz, Mayer D.",
            "The tracker: a threat to statistical database security",
            "ACM Transactions on Database Systems",
            1979,
            doi="10.1145/320064.320069",
        ),
        Reference(
            "dwork2014algorithmic",
            "article",
            "Dwork, Cynthia and Roth, Aaron",
            "The algorithmic foundations of differential privacy",
            "Foundations and Trends in Theoretical Computer Science",
            2014,
            doi="10.1561/0400000042",
        ),
    ),
    "averaging": (
        Reference(
            "dwork2006calibrating",
            "inproceedings",
            "Dwork, Cynthia and McSherry, Frank and Nissim, Kobbi and Smith, Adam",
            "Calibrating noise to sensitivity in private data analysis",
            "Theory of Cryptography Conference (TCC)",
            2006,
            doi="10.1007/11681878_14",
        ),
    ),
    "membership": (
        Reference(
            "stadler2022synthetic",
            "inproceedings",
            "Stadler, Theresa and Oprisanu, Bristena and Troncoso, Carmela",
            "Synthetic data: anonymisation groundhog day",
            "USENIX Security Symposium",
            2022,
            doi="10.48550/arXiv.2011.07018",
        ),
        Reference(
            "carlini2022membership",
            "inproceedings",
            "Carlini, Nicholas and Chien, Steve and Nasr, Milad and Song, Shuang and Terzis, Andreas and Tramèr, "
            "Florian",
            "Membership inference attacks from first principles",
            _SP,
            2022,
            doi="10.1109/SP46214.2022.9833649",
        ),
    ),
    "unicity": (
        Reference(
            "demontjoye2013unique",
            "article",
            "de Montjoye, Yves-Alexandre and Hidalgo, César A. and Verleysen, Michel and Blondel, Vincent D.",
            "Unique in the crowd: the privacy bounds of human mobility",
            "Scientific Reports",
            2013,
            doi="10.1038/srep01376",
        ),
    ),
}
REFERENCES: Mapping[str, tuple[Reference, ...]] = {
    **dict.fromkeys(("clr", "xor", "dps-dp", "same-sample", "degenerate", "reuse"), (LQS,)),
    **dict.fromkeys(("linkage", "complementary"), (SWEENEY,)),
    "homogeneity": (L_DIVERSITY,),
    **dict.fromkeys(("skewness", "similarity"), (T_CLOSENESS,)),
    "grids": (DINUR_NISSIM, LQS),
    **_OTHERS,
}
"""Attack -> what it is from, the source of the idea first."""
